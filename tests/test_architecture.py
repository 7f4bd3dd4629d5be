"""The house keeps its shape: imports point one way, and importing Raven stays light."""

import ast
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

import extensions
import ravenbench
from ravenbench import registry, seams
from walk import walk

ROOT = Path(ravenbench.__file__).parent
GROUND = [
    "errors",
    "files",
    "outputs",
    "papers",
    "randomness",
    "shown",
    "texts",
    "types",
    "components",
    "builtin",
]
GROUND += ["registry", "seams", "limits"]
ROOMS = [
    "programs",
    "services",
    "text",
    "metrics",
    "reading",
    "corpora",
    "topics",
    "sampling",
    "problems",
    "verifiers",
]
ROOMS += [
    "attribution",
    "obfuscation",
    "statistics",
    "store",
    "engine",
    "reports",
    "tasks",
    "cli",
    "ext",
]
STRANGERS = {
    ("attribution", "verifiers"),
    ("obfuscation", "verifiers"),
    ("obfuscation", "attribution"),
    ("sampling", "topics"),
    ("statistics", "verifiers"),
}
OPEN_TO_ALL = {
    "tasks": {"functions", "api"},
    "verifiers": {"contract", "calibrators"},
}
"""Parts of a room that its other parts may use; they know none of those."""
GUESTS = {
    ("tasks", "evaluate"): {"run"},
    ("tasks", "pan14"): {"verify", "evaluate"},
    ("tasks", "safety"): {"obfuscate", "attribute"},
}
"""What a task of the bench uses of others."""
LIGHT = ["ravenbench", "ravenbench.registry", "ravenbench.cli.main"]
"""Each imports those before it, and nothing of the following."""
HEAVY = [
    "numba",
    "sklearn",
    "matplotlib",
    "polars",
    "scipy",
    "nltk",
    "torch",
    "transformers",
    "dask",
    "msgspec",
]


class Facts(NamedTuple):
    """What tests ask of a file, which is read once: the Raven modules that it imports, as their parts below the
    package, the names that it gives, and its classes."""

    modules: list[list[str]]
    names: set[str]
    classes: list[str]


@cache
def facts(path):
    nodes = [*ast.walk(ast.parse(path.read_text()))]
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    return Facts([*imported(nodes)], {*given_names(nodes)}, classes)


def modules(path):
    return facts(path).modules


def imported(nodes):
    for node in nodes:
        names = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            inner = ROOT.joinpath(*node.module.split(".")[1:])
            names = [
                f"{node.module}.{a.name}"
                if (inner / a.name).is_dir() or (inner / f"{a.name}.py").is_file()
                else node.module
                for a in node.names
            ]
        for name in names:
            if name.startswith("ravenbench."):
                yield name.split(".")[1:]


def files():
    """Every file of the package with the modules that it imports."""
    return [(path, [*modules(path)]) for path in sorted(ROOT.rglob("*.py"))]


def test_imports_point_one_way():
    wrong = []
    for path, used in files():
        room = path.relative_to(ROOT).parts[0].removesuffix(".py")
        if room in ("__init__", "__main__", "testing"):
            continue
        for other in {parts[0] for parts in used}:
            known = GROUND if room in GROUND else GROUND + ROOMS[: ROOMS.index(room) + 1]
            if other not in known or (room, other) in STRANGERS:
                wrong.append(f"{path.relative_to(ROOT)}: {other}")
    assert not wrong, "a room imports those before it alone"


BETWEEN = {
    ("case", "shelf"),
    ("contrast", "map"),
    ("forms", "freeze"),
    ("problems", "corpora"),
    ("retrieval", "encoders"),
    ("retrieval", "freeze"),
    ("shelf", "encoders"),
    ("unknown", "case"),
}
"""Extensions that use another one: the first uses the second."""


def test_the_bench_imports_no_extension():
    wrong = [
        f"{path.relative_to(ROOT)}: {'.'.join(parts)}"
        for path, used in files()
        for parts in used
        if parts[0] == "ext" and path.relative_to(ROOT).parts[0] != "ext"
    ]
    assert not wrong, "the bench imports an extension"


def test_an_extension_in_its_own_folder_uses_others_only_where_this_is_listed():
    used = {
        (path.relative_to(ROOT).parts[1], parts[1])
        for path, names in files()
        if path.relative_to(ROOT).parts[0] == "ext"
        for parts in names
        if parts[0] == "ext" and len(parts) > 1
    }
    here = {pair for pair in BETWEEN if all(map(extensions.is_here, pair))}
    assert {pair for pair in used if pair[0] != pair[1]} == here


def test_extensions_that_come_with_raven_are_listed():
    """So that tests know what is absent; each hands in its rows of the bench's tables by a module of data."""
    assert {place.parent.name for place in ROOT.glob("ext/*/__init__.py")} <= {*extensions.OWN}


SAYING_NOTHING = {"found", "asked", "told", "kept", "held", "taken"}
SAVED_NAMES = {
    ("engine/transplants.py", "kept"),
    ("errors.py", "found"),
    ("text/views.py", "kept"),
    ("reading/account.py", "found"),
    ("reading/apart.py", "found"),
    ("verifiers/contract/base.py", "found"),
}
"""Names that stand in saved files and JSON, and fields of an error: found, expected, fix."""
SAVED_CLASSES = {"Background", "Delta", "Document", "Part", "Reading"}
"""Classes that saved verifiers or packages of others name, and that another one is called like."""


def given_names(nodes):
    """The names that a file gives: to variables, parameters, attributes, functions and what it imports."""
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.alias):
            yield node.asname or ""
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name


def test_a_name_says_what_the_value_is():
    named = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in ROOT.rglob("*.py")
        for name in facts(path).names
    }
    assert {each for each in named if each[1] in SAYING_NOTHING} == SAVED_NAMES


def test_no_two_classes_have_one_name():
    # A registered name is the field's, and may be that of a verifier and of an attributor: ppm, delta, random.
    components = {target for kind in registry.METHODS for target in registry.targets(kind).values()}
    places = {}
    for path in sorted(ROOT.rglob("*.py")):
        module = ".".join(["ravenbench", *path.relative_to(ROOT).with_suffix("").parts])
        for name in facts(path).classes:
            if f"{module}:{name}" not in components:
                places.setdefault(name, []).append(module)
    several = {
        name: each for name, each in places.items() if len(each) > 1 and name not in SAVED_CLASSES
    }
    assert not several, "a class has another one's name"


@pytest.mark.parametrize("room", OPEN_TO_ALL)
def test_what_all_share_knows_no_task(room):
    for path in sorted((ROOT / room).rglob("*.py")):
        own = path.relative_to(ROOT / room).parts[0].removesuffix(".py")
        used = {parts[1] for parts in modules(path) if parts[0] == room and len(parts) > 1}
        if own in OPEN_TO_ALL[room]:
            assert used <= OPEN_TO_ALL[room], (
                f"{path}: what all share must not know {used - OPEN_TO_ALL[room]}"
            )
            tasks = {".".join(parts[:2]) for parts in modules(path) if of_a_task(parts)}
            assert not tasks, f"{path}: what all share must not know {tasks}"
        elif room == "tasks" and own != "__init__":
            strange = used - {own} - OPEN_TO_ALL[room] - GUESTS.get((room, own), set())
            assert not strange, f"{path} must not know {strange}"


def of_a_task(parts):
    """Whether an imported module belongs to one task, in whatever room."""
    return len(parts) > 1 and parts[0] == "tasks" and parts[1] not in OPEN_TO_ALL["tasks"]


def test_a_task_is_seen_from_another_room(tmp_path):
    path = tmp_path / "report.py"
    path.write_text(
        "from ravenbench.tasks import verify\nfrom ravenbench.store.store import Store\n"
    )
    assert [".".join(parts) for parts in modules(path) if of_a_task(parts)] == ["tasks.verify"]


def test_workers_import_no_report():
    code = (
        "import sys, ravenbench.engine.cells, ravenbench.engine.pool; "
        "print([m for m in sys.modules if m.startswith(('ravenbench.reports', 'ravenbench.cli', 'matplotlib'))])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


OPENERS = {
    "Archive",
    "ZipFile",
    "decode",
    "open",
    "read_bytes",
    "read_csv",
    "read_excel",
    "read_json",
    "read_ndjson",
    "read_ordinary",
    "read_parquet",
    "read_text",
    "read_whole",
    "scan_csv",
    "scan_ndjson",
    "scan_parquet",
    "table_rows",
    "csv_rows",
}
"""Calls that open a path, an archive or a frame, or go on reading one."""
OPENED_ELSEWHERE = {
    "cli/main.py": "the standard streams",
    "components.py": "the code of a component",
    "engine/apart.py": "what a worker was handed",
    "engine/options.py": "spec files",
    "errors.py": "one byte of whatever an option names, so that a message can name the option",
    "ext/case/sentences.py": "data of the package",
    "ext/documents": "readers of document formats, called in a process of their own",
    "ext/encoders": "models",
    "ext/forms": "manifests, which Raven wrote, and data of the package",
    "ext/freeze": "manifests, which Raven wrote, and a run's folder",
    "ext/map/word_tables.py": "data of the package",
    "ext/programs": "what a program wrote, and its code",
    "ext/retrieval/task.py": "a file that is written",
    "ext/shelf": "models and data of the package",
    "ext/site": "a run's folder and the report of an evaluation",
    "ext/tools": "templates of the package",
    "ext/window": "jobs, which Raven wrote, and what they printed",
    "files.py": "the ground that all stand on",
    "obfuscation": "data of the package and of NLTK",
    "outputs.py": "what is written",
    "papers.py": "data of the package",
    "reading": "what users hand in",
    "problems/overlap.py": "hashes beside a verifier that Raven saved",
    "registry.py": "the code of a component",
    "reports/envelope.py": "a result that Raven wrote, and keys",
    "reports/page.py": "templates of the package",
    "services.py": "the cache",
    "store": "a run's folder",
    "tasks/pan14/published.py": "data of the package",
    "tasks/verify": "a run's folder and a model that Raven saved",
    "text": "data of the package",
    "texts.py": "a run's folder",
    "verifiers/contract/persist.py": "a verifier that Raven saved",
}
"""Who else opens something, and what that is."""


def opening_calls(path):
    """Lines in which a file calls something that opens a path, an archive or a frame."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            of, _, called = ast.unparse(node.func).rpartition(".")
            # Class.open is a record of ours, read_text one of reading's; bytes.decode() reads nothing.
            ours = (of.isidentifier() and of[0].isupper()) or (
                called == "decode" if of else called == "read_text"
            )
            if called in OPENERS and not ours:
                yield node.lineno


def test_what_users_hand_in_is_opened_by_reading_alone():
    used = {}
    for path in sorted(ROOT.rglob("*.py")):
        inside = path.relative_to(ROOT).as_posix()
        if lines := [*opening_calls(path)]:
            place = next((p for p in OPENED_ELSEWHERE if f"{inside}/".startswith(f"{p}/")), inside)
            used.setdefault(place, []).append((inside, lines))
    unknown = {place: calls for place, calls in used.items() if place not in OPENED_ELSEWHERE}
    assert not unknown, "reading/ gives rows, texts or faults: call one of its functions"
    here = {place for place in OPENED_ELSEWHERE if (ROOT / place).exists()}
    assert used.keys() == here, "a place that opens nothing leaves the list"


COME_ALONG = {"markupsafe", "packaging"}  # by Jinja and Matplotlib, and both have types


def test_types_are_checked_without_what_only_an_extra_brings():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    base = {re.split("[<=>]", needed)[0] for needed in project["project"]["dependencies"]}
    exempt = {
        module.split(".")[0]
        for override in project["tool"]["mypy"]["overrides"]
        for module in override["module"]
    }
    imported = set()
    for path in ROOT.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.split(".")[0])
    known = base | exempt | COME_ALONG | sys.stdlib_module_names
    assert {"starlette", "cryptography"} < imported
    assert imported - known == {"ravenbench"}, "name it in tool.mypy.overrides"


def test_a_run_hands_its_corpus_on_few_times():
    handed = sorted(walk())
    assert 20 < len(handed) <= 40, "hand on what is needed: texts, labels or notes"


def test_no_import_circles():
    graph = {}
    for path in sorted(ROOT.rglob("*.py")):
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
        graph[name] = {".".join(parts) for parts in modules(path)} | {
            ".".join(p[:-1]) for p in modules(path)
        }
    graph = {name: (used & graph.keys()) - {name} for name, used in graph.items()}
    while leaves := {name for name, used in graph.items() if not used}:
        graph = {name: used - leaves for name, used in graph.items() if name not in leaves}
    circle = {
        name: used for name, used in graph.items() if any(name in graph[other] for other in graph)
    }
    assert not circle, f"imports in a circle: {circle}"


def test_every_room_is_named():
    # A folder that has moved may be left with compiled files alone.
    found = {p.name for p in ROOT.iterdir() if any(p.glob("*.py"))}
    assert found <= set(ROOMS), f"rooms without a place in the order: {found - set(ROOMS)}"


def test_light_import():
    lines = [
        f"import sys, {module}; print([m for m in {HEAVY} if m in sys.modules])" for module in LIGHT
    ]
    out = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=True
    )
    assert out.stdout.split() == ["[]"] * len(LIGHT)


def test_exports_are_the_same_for_readers_and_checkers():
    tree = ast.parse((ROOT / "__init__.pyi").read_text())
    seen = {
        alias.name: node.module.removeprefix("ravenbench.")
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ravenbench.")
        for alias in node.names
    }
    registered = {
        name: point.value.removeprefix("ravenbench.").partition(":")[0]
        for name, point in seams.registered(seams.NAME_GROUP).items()
        if point.value.startswith("ravenbench.")
    }
    # Their stubs say that a table in memory may stand for a path.
    tabular = dict.fromkeys(("load_corpus", "read_problems"), "tasks.api")
    here = ravenbench._PLACES | tabular | registered
    assert here == {
        name: module for name, module in seen.items() if name in here or not extensions.absent()
    }
    assert ravenbench.__all__ == sorted(here)
    assert registered.keys() == extensions.names("NAMES"), (
        "what an extension brings to ravenbench stands in its rows"
    )


CONSUMER = """
from pathlib import Path

import polars

import ravenbench
from ravenbench import Scorer, evaluate, run

result = run("synthetic", verifiers="ppm", folds=2, out=Path("run"))
errors: tuple[str, ...] = result.errors
auc: float | None = evaluate("truth.jsonl", ["answers.jsonl"]).systems[0].scores["auc"]
page: Path = ravenbench.write_report(result.store)
plan_cells: int = len(result.store.plan.cells)
scorer: Scorer = ravenbench.parse("verifier", "ppm")
frame = polars.DataFrame({"author": ["a"], "text": ["t"]})
rows = [{"author": "a", "text": "t"}]
ravenbench.load_corpus(rows)
run(frame)
evaluate(frame, {"a": frame, "b": "b.jsonl"}, out="page")
ravenbench.attribute(Path("x"), candidates=rows)
ravenbench.compare([Path("q")], {"a": [Path("a")]}, frame)
"""
MISUSES = {
    "from ravenbench import simlate\n": "simlate",
    "import ravenbench\nravenbench.run('synthetic', fold=2)\n": "fold",
    "import ravenbench\nravenbench.run('synthetic', folds='two')\n": "incompatible type",
}


@pytest.mark.slow
def test_a_type_checker_sees_the_public_face(tmp_path):
    pytest.importorskip("mypy")
    from mypy import api

    (tmp_path / "consumer.py").write_text(CONSUMER)
    for number, misuse in enumerate(MISUSES):
        (tmp_path / f"misuse{number}.py").write_text(misuse)
    flags = ["--strict", "--cache-dir", str(tmp_path / "cache"), "--follow-imports", "silent"]
    out, _, code = api.run([*flags, *map(str, sorted(tmp_path.glob("*.py")))])
    assert code == 1 and "consumer.py" not in out, out
    for number, told in enumerate(MISUSES.values()):
        assert any(f"misuse{number}.py" in line and told in line for line in out.splitlines()), out


def test_the_stub_says_what_the_functions_take():
    from ravenbench.engine.task import declared_of
    from stub import public, stub_of

    stub = ast.unparse(ast.parse(stub_of(map(declared_of, public()))))  # layout is the formatter's
    written = ast.unparse(ast.parse((ROOT / "tasks" / "api.pyi").read_text()))
    if extensions.absent():  # what they bring stands in the stub too, and is called by nobody
        stub, written = (_functions(text) for text in (stub, written))
        stub = {name: text for name, text in stub.items() if name not in extensions.WITH_FORMS}
        written = {name: text for name, text in written.items() if name in stub}
    assert written == stub, "write it anew: python tests/stub.py"


def _functions(stub):
    """The functions of a stub as they are written, by name."""
    return {
        node.name: ast.unparse(node)
        for node in ast.parse(stub).body
        if isinstance(node, ast.FunctionDef)
    }


def test_exported_names_resolve():
    for name in ravenbench.__all__:
        assert getattr(ravenbench, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = ravenbench.nothing


def test_help_imports_no_command():
    code = (
        "import sys; sys.argv=['raven','--help']\n"
        "from ravenbench.cli.main import run\n"
        "try: run()\nexcept SystemExit: pass\n"
        f"print([m for m in {HEAVY} if m in sys.modules], file=sys.stderr)"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stderr.strip() == "[]"
    assert "raven run" in out.stdout


def test_each_package_says_what_it_is_for_and_where_to_begin():
    tests = Path(__file__).parent
    packages = [ROOT / room for room in ROOMS if (ROOT / room).is_dir() and room != "ext"]
    packages += [place.parent for place in (ROOT / "ext").glob("*/__init__.py")]
    for package in packages:
        lines = (package / "README.md").read_text(encoding="utf-8").splitlines()
        named = [
            word.strip("`.")
            for word in " ".join(lines).split()
            if word.startswith(("tests/", "`tests/"))
        ]
        assert len(lines) <= 20 and any(line.startswith("- Begin reading") for line in lines), (
            package
        )
        assert all((tests.parent / place).exists() for place in named), package
