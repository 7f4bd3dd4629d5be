"""Lists the calls that hand on the corpus, as far as code is reached from the plan of ``raven run``.

``python tests/walk.py`` prints a line for each. A corpus is a parameter, a local name or a field that is annotated or
bound as ``Corpus``; functions are reached by their names and imports, methods by the class that is named, else all of
that name. What hands on to Python itself (``len``, ``replace``) is not counted, nor extensions, which the bench cannot
reach.
"""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent / "src" / "ravenbench"
START = ("tasks.run.plan", "draft")
_CORPUS = re.compile(r"\bCorpus\b")
PYTHONS = {"dataclass_replace", "enumerate", "len", "list", "replace", "signature"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
Key = tuple[str, str]


class Source:
    """All modules: functions and methods by module and name, names that a module imports, fields that hold a corpus."""

    def __init__(self) -> None:
        self.functions: dict[Key, Function] = {}
        self.imports: dict[str, dict[str, Key]] = defaultdict(dict)
        self.methods: dict[str, list[Key]] = defaultdict(list)
        self.classes: dict[Key, list[str]] = defaultdict(list)
        self.fields: set[str] = set()
        for file in sorted(ROOT.rglob("*.py")):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            if module.startswith("ext."):
                continue
            self._read(module.removesuffix(".__init__"), ast.parse(file.read_text("utf-8")))

    def _read(self, module: str, tree: ast.Module) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ravenbench"):
                origin = (node.module or "").removeprefix("ravenbench").lstrip(".")
                for alias in node.names:
                    self.imports[module][alias.asname or alias.name] = (origin, alias.name)
        for node in tree.body:
            if isinstance(node, Function):
                self.functions[module, node.name] = node
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, Function):
                        key = (module, f"{node.name}.{inner.name}")
                        self.functions[key] = inner
                        self.methods[inner.name].append(key)
                        self.classes[module, node.name].append(inner.name)
                    if isinstance(inner, ast.AnnAssign) and _is_corpus(inner.annotation):
                        self.fields.add(ast.unparse(inner.target))

    def reached(self, module: str, owner: str, called: ast.expr) -> list[Key]:
        """What an expression that is called, or handed on as a function, may be."""
        if isinstance(called, ast.Name):
            here = (module, called.id)
            key = self.imports[module].get(called.id, here)
            if key in self.functions:
                return [key]
            if key in self.classes:
                names = ("__init__", "__post_init__")
                return [(key[0], f"{key[1]}.{n}") for n in names if n in self.classes[key]]
            return []
        if isinstance(called, ast.Attribute):
            value = called.value
            if isinstance(value, ast.Name):
                if value.id in ("self", "cls") and called.attr in self.classes[module, owner]:
                    return [(module, f"{owner}.{called.attr}")]
                origin = self.imports[module].get(value.id)
                if origin is not None:
                    inside = (".".join(filter(None, origin)), called.attr)
                    if inside in self.functions:
                        return [inside]
                    if origin in self.classes and called.attr in self.classes[origin]:
                        return [(origin[0], f"{origin[1]}.{called.attr}")]
            return self.methods[called.attr]
        return []

    def gives_corpus(self, keys: list[Key]) -> bool:
        """Whether one of these functions returns a corpus."""
        return any(_is_corpus(self.functions[key].returns) for key in keys)


def _is_corpus(annotation: ast.expr | None) -> bool:
    return annotation is not None and _CORPUS.search(ast.unparse(annotation)) is not None


def walk() -> Iterator[tuple[str, int, str]]:
    """Module, line and text of every call that hands the corpus on."""
    source = Source()
    queue = [START]
    seen = {START}
    while queue:
        module, name = queue.pop()
        function = source.functions[module, name]
        owner = name.partition(".")[0]
        arguments = function.args
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        bound = {one.arg for one in parameters if _is_corpus(one.annotation)}
        is_method_of_corpus = (module, owner) == ("types", "Corpus")
        bound |= {"self"} if is_method_of_corpus else set()
        nodes = list(ast.walk(function))
        for node in nodes:
            if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                continue
            if source.gives_corpus(source.reached(module, owner, node.value.func)):
                target = node.targets[0]
                names = target.elts if isinstance(target, ast.Tuple) else [target]
                several = len(names) > 1
                bound |= {
                    one.id
                    for one in names
                    if isinstance(one, ast.Name) and ("corpus" in one.id or not several)
                }
        for node in nodes:
            if not isinstance(node, ast.Call):
                continue
            ours = ast.unparse(node.func).rpartition(".")[2] not in PYTHONS
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            if ours and any(_hands(one, bound, source.fields) for one in given):
                yield module, node.lineno, ast.unparse(node).splitlines()[0][:90]
            for called in (node.func, *given):
                for key in source.reached(module, owner, called):
                    if key not in seen and key in source.functions:
                        seen.add(key)
                        queue.append(key)


def _hands(argument: ast.expr, bound: set[str], fields: set[str]) -> bool:
    if isinstance(argument, ast.Name):
        return argument.id in bound
    # A spec's corpus is its name.
    spec = ast.unparse(argument).startswith("spec.")
    return isinstance(argument, ast.Attribute) and argument.attr in fields and not spec


if __name__ == "__main__":
    handed = sorted(walk())
    for module, line, text in handed:
        print(f"{module}:{line}: {text}")
    print(len(handed), "calls in", len({module for module, _, _ in handed}), "modules")
