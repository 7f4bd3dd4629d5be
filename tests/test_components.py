import os
import subprocess
import sys

import numpy as np
import pytest

from ravenbench import components, registry
from ravenbench.components import Component, identity, identity_hash
from ravenbench.errors import MissingPart, SpecError
from ravenbench.randomness import stream


class Leaf(Component):
    name = "leaf"

    def __init__(self, n: int = 4, words: str = "a,b", flags: tuple[int, ...] = (1, 2)) -> None:
        self.n, self.words, self.flags = n, words, flags

    def fit(self, problems, same):
        return self

    def score(self, problems):
        return np.zeros(len(problems))


class Wrap(Leaf):
    name = "wrap"
    version = 3

    def __init__(
        self,
        inner: Component | None = None,
        members: list[Component] | None = None,
        rate: float = 0.5,
    ) -> None:
        self.inner, self.members, self.rate = inner, members, rate


class Bare(Leaf):
    """Says nothing of what it takes."""

    def __init__(self, thing=None) -> None:
        self.thing = thing


@pytest.fixture(autouse=True)
def known(monkeypatch):
    here = {
        "leaf": f"{__name__}:Leaf",
        "wrap": f"{__name__}:Wrap",
        "gone": "ravenbench.types:Nothing",
    }
    monkeypatch.setattr(registry, "targets", lambda kind: here if kind == "verifier" else {})
    monkeypatch.setattr(components, "_provided", lambda name: [here[name]] if name in here else [])


@pytest.mark.parametrize(
    ("component", "text"),
    [
        (Leaf(), "leaf"),
        (Leaf(n=3), "leaf(n=3)"),
        (Leaf(words='it\'s (odd), "very"'), None),
        (Leaf(flags=(1,)), "leaf(flags=(1,))"),
        (Wrap(Leaf(n=3)), "wrap(leaf(n=3))"),
        (Wrap(Wrap(Leaf()), rate=0.1), "wrap(wrap(leaf), rate=0.1)"),
        (Wrap(members=[Leaf(), Leaf(n=2)]), "wrap(members=[leaf, leaf(n=2)])"),
    ],
)
def test_a_component_prints_and_parses_back(component, text):
    if text is not None:
        assert str(component) == text
    assert registry.parse("verifier", str(component)) == component


def test_lists_split_at_top_level_commas():
    assert [
        str(c) for c in registry.parse_list("verifier", "leaf(n=1, flags=(3, 4)), wrap(leaf),leaf")
    ] == [
        "leaf(n=1, flags=(3, 4))",
        "wrap(leaf)",
        "leaf",
    ]


def test_a_list_is_named_by_what_it_prints_or_by_its_aliases():
    found = registry.named("verifier", "leaf, mine", {"mine": "leaf(n=3)"})
    assert {name: str(component) for name, component in found.items()} == {
        "leaf": "leaf",
        "mine": "leaf(n=3)",
    }
    assert list(registry.named("verifier", [Wrap(Leaf()), "leaf"])) == ["wrap(leaf)", "leaf"]
    assert list(registry.named("verifier", None, default="leaf")) == ["leaf"]


@pytest.mark.parametrize(
    ("given", "default", "message"),
    [
        ("leaf, leaf", None, "duplicate verifier 'leaf'"),
        ([Leaf(), "leaf"], None, "duplicate verifier 'leaf'"),
        (" , ", None, "no verifier is given\n  expected: gone, leaf, wrap"),
        ([], "leaf", "no verifier is given(?s:.*)fix: leaf"),
        ("leef", None, "unknown verifier 'leef'"),
        ([Bare(object())], None, "a parameter must be a number"),
    ],
)
def test_a_list_that_cannot_be_named(given, default, message):
    with pytest.raises(SpecError, match=message):
        registry.named("verifier", given, default=default)


def test_an_alias_is_no_other_verifier_s_name():
    assert list(registry.named("verifier", "leaf", {"leaf": "leaf(n=3)"})) == ["leaf"]
    with pytest.raises(SpecError, match="'leaf' is the name of another verifier"):
        registry.named("verifier", "leaf", {"leaf": "wrap(leaf)"})


def test_outsiders_by_module_and_class():
    text = f"{__name__}:Leaf(n=9)"
    assert registry.parse("verifier", text).n == 9
    assert registry.parse("verifier", f"wrap({text})").inner.n == 9


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("laef", "did you mean 'leaf'"),
        ("leaf(m=3)", "no parameter 'm'"),
        ("leaf(n=__import__('os').getcwd())", "or the name of a component"),
        ("leaf(n=three)", "put text in quotes"),
        ("leaf(n=laef)", "did you mean 'leaf'"),
        ("leaf(n={[]: 1})", "neither a Python literal nor a component"),
        ("leaf(n=3", "is not a verifier"),
        ("leaf(n=[3)", "unclosed"),
        ("leaf(n=3, 4)", "follows a named value"),
        ("leaf(n=1, n=2)", "duplicate parameter"),
        ("leaf(1, 2, 3, 4)", "too many"),
        ("", "is not a verifier"),
        ("gone", "has no 'Nothing'"),
        (f"{__name__}:Leav", "has no 'Leav'(?s:.*)did you mean 'Leaf'"),
        ("nowhere_at_all.x:Y", "not found(?s:.*)FILE:CLASS"),
        ("nowhere_at_all.py:Y", "fix: write nowhere_at_all:Y, without .py"),
        ("Qqqqqq", "FILE:CLASS(?s:.*)known: gone, leaf, wrap"),
    ],
)
def test_what_does_not_parse_says_why(text, message):
    with pytest.raises(SpecError, match=message):
        registry.parse("verifier", text)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        (
            "from ravenbench import Nothing",
            "mine:Own': mine cannot be imported(?s:.*)cannot import name 'Nothing'",
        ),
        ("class Own(", "mine cannot be imported(?s:.*)was never closed"),
        (
            "class Own: pass",
            "'mine:Own' is not one of Raven's components(?s:.*)fix: derive it from ravenbench.Scorer",
        ),
    ],
)
def test_a_module_that_holds_no_verifier_says_why(code, message, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    with pytest.raises(SpecError, match=message):
        registry.named("verifier", "mine:Own")
    sys.modules.pop("mine", None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("leaf(n=1.5)", "leaf: n must be a whole number"),
        ("leaf(True)", "n must be a whole number"),
        ("leaf(words=3)", "words must be text"),
        ("wrap(rate='x')", "rate must be a number"),
        ("wrap(leaf(n=None))", "n must be a whole number"),
    ],
)
def test_values_are_of_the_kind_that_is_annotated(text, message):
    with pytest.raises(SpecError, match=message):
        registry.parse("verifier", text)
    assert registry.parse("verifier", "wrap(rate=1)").rate == 1


def test_a_missing_dependency_names_its_command(tmp_path, monkeypatch):
    (tmp_path / "needs_more.py").write_text("import not_a_real_module\nclass X: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(MissingPart, match="pip install not_a_real_module"):
        registry.resolve("verifier", "needs_more:X")


def test_identity_states_defaults_and_versions_display_omits_them():
    assert identity(Wrap(Leaf())) == {
        "component": "wrap",
        "version": 3,
        "params": {
            "inner": {
                "component": "leaf",
                "version": 1,
                "params": {"n": 4, "words": "a,b", "flags": [1, 2]},
            },
            "members": None,
            "rate": 0.5,
        },
    }
    assert identity_hash(Leaf()) != identity_hash(Leaf(n=5))
    with pytest.raises(SpecError, match="a parameter must be a number"):
        identity(Bare(np.zeros(2)))


CALLS = [
    "subprocess:Popen(['touch', 'called'])",
    "os:system('touch called')",
    "pathlib:Path('x')",
    "here_lies:touch('called')",
    "here_lies:Harmful('called')",
    "here_lies:Fits('called')",
    "here_lies.__main__:Fits('called')",
    "here_lies:instance",
]
HERE_LIES = """
from pathlib import Path
import numpy as np

def touch(*names):
    for name in names:
        Path(name).touch()

class Harmful:
    def __init__(self, *names):
        touch(*names)

class Fits(Harmful):
    def fit(self, problems, same):
        return self

    def score(self, problems):
        return np.zeros(len(problems))

instance = Fits()
"""


@pytest.fixture
def stranger(tmp_path, monkeypatch):
    (tmp_path / "here_lies.py").write_text(HERE_LIES)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    yield tmp_path / "called"
    sys.modules.pop("here_lies", None)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", [*registry.KINDS, "wrap", "wrap members"])
def test_nothing_but_a_component_of_the_kind_is_called(kind, call, stranger):
    """Whatever a spec names, wherever it stands in it."""
    inner = {"wrap": f"wrap({call})", "wrap members": f"wrap(members=[leaf, {call}])"}
    with pytest.raises(
        SpecError, match=r"does not call|contains no|not found|is not a package|cannot be imported"
    ):
        registry.parse("verifier" if kind in inner else kind, inner.get(kind, call))
    assert not stranger.exists()


def test_a_component_of_another_kind_is_refused():
    with pytest.raises(
        SpecError,
        match=r"is not of kind encoder, so Raven does not call it\n  expected: a class with encode\(…\)",
    ):
        registry.parse("encoder", f"{__name__}:Leaf")


@pytest.mark.parametrize(
    "code", ["raise ValueError('no')", "import sys; sys.exit(0)", "1 / 0", "def f(): f()\nf()"]
)
def test_a_module_that_fails_while_it_is_imported(code, tmp_path, monkeypatch):
    (tmp_path / "falls.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(SpecError, match="falls cannot be imported"):
        registry.parse("verifier", "falls:Own")


def test_a_class_that_fails_while_it_is_made():
    with pytest.raises(SpecError, match=r"cannot be created(?s:.*)SystemExit"):
        registry.parse("verifier", f"{__name__}:Leaving")


class Leaving(Leaf):
    def __init__(self) -> None:
        sys.exit(0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("wrap(" * 1000 + "leaf" + ")" * 1000, "nested too deep"),
        ("leaf(n=" + "[" * 5000 + "]" * 5000 + ")", "nested too deep"),
        ("leaf(n=" + "-" * 200_000 + "1)", "too complex|is not a number"),
        ("leaf(words='\udcff')", "cannot be written as UTF-8"),
        ("\udcff", "cannot be written as UTF-8"),
    ],
)
def test_what_cannot_be_read_at_all(text, message):
    with pytest.raises(SpecError, match=message):
        registry.parse("verifier", text)


def test_a_text_that_cannot_be_written_has_no_identity():
    for odd in (Leaf(words="\ud800"), registry.parse("verifier", r"leaf(words='\ud800')")):
        with pytest.raises(SpecError, match="cannot be written as UTF-8"):
            registry.named("verifier", [odd])


def test_set_params_reaches_inside_and_refuses_strangers():
    w = Wrap(Leaf()).set_params(inner__n=7, rate=0.2)
    assert w.inner.n == 7 and w.rate == 0.2
    with pytest.raises(SpecError, match="no parameter 'speed'"):
        w.set_params(speed=1)


def test_streams_depend_on_their_arguments_alone():
    a = stream(1, "fold", "x", 2).integers(1 << 30, size=4)
    assert np.array_equal(a, stream(1, "fold", "x", 2).integers(1 << 30, size=4))
    assert not np.array_equal(a, stream(1, "fold", "x", "2").integers(1 << 30, size=4))
    code = "from ravenbench.randomness import stream; print(stream(1,'fold','x',2).integers(1<<30,size=4).tolist())"
    for seed in ("0", "1"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        out = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True
        )
        assert out.stdout.strip() == str(a.tolist())
