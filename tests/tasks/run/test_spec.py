import pytest

from contracts.commands import raven
from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.tasks.run.spec import RunSpec, build


def test_flags_override_the_file(tmp_path):
    file = tmp_path / "s.toml"
    file.write_text(
        '[run]\ncorpus = "x.csv"\ntopics = 9\ndocs-per-topic = 5\nverifiers = ["ppm", "mine"]\n'
        '[verifiers.mine]\nis = "char-ngram(n=3)"\n'
    )
    spec = build({"topics": 4, "seed": None}, file)
    assert (spec.corpus, spec.topics, spec.docs_per_topic) == ("x.csv", 4, 5)
    assert {name: str(c) for name, c in spec.named_verifiers().items()} == {
        "ppm": "ppm",
        "mine": "char-ngram(n=3)",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[run]\ntopcs = 3\n", "did you mean 'topics'"),
        ("[run]\ntopics = 'many'\n", "topics: expected whole numbers"),
        ("[run]\ntopics = 1\n", "topics: expected a whole number >= 2"),
        (
            "[run]\nprobe = 'crosed'\n",
            "probe: unknown value 'crosed'(?s:.*)fix: did you mean 'crossed'",
        ),
        ("[rum]\n", "unknown table"),
        ("[run\n", "not valid TOML"),
        ("run = 3\n", "run is not a table"),
        ("verifiers = ['ppm']\n", "verifiers is not a table"),
        ("[verifiers.x]\nwas = 1\n", "must contain one key 'is'"),
    ],
)
def test_a_bad_file_is_one_clear_error(tmp_path, text, message):
    file = tmp_path / "s.toml"
    file.write_text(text)
    with pytest.raises(SpecError, match=message) as error:
        build({}, file)
    assert str(file) in str(error.value)


def test_a_missing_spec_file():
    from pathlib import Path

    with pytest.raises(SpecError, match="cannot be read"):
        build({}, Path("nowhere.toml"))


def test_train_and_test_replace_the_corpus():
    assert build({"train": "a", "test": "b"}).corpus is None
    with pytest.raises(SpecError, match="must be given together"):
        build({"train": "a"})
    with pytest.raises(SpecError, match="must be given together"):
        build({"train": "a", "test": "b", "corpus": "c"})


def test_verifiers_are_named_once():
    with pytest.raises(SpecError, match="duplicate"):
        RunSpec(verifiers="chance, chance").named_verifiers()
    with pytest.raises(SpecError, match="no verifier"):
        RunSpec(verifiers=" , ").named_verifiers()


def test_a_seed_reaches_every_component_that_names_none():
    from ravenbench.components import seeded

    for written, expected in (
        ("impostors", "impostors(seed=7)"),
        ("impostors(seed=3)", "impostors(seed=3)"),
        ("meta([impostors, ppm])", "meta([impostors(seed=7), ppm])"),
        ("cng-2013", "cng-2013"),
    ):
        component = registry.parse("verifier", written)
        assert str(seeded(component, 7)) == str(registry.parse("verifier", expected))
        assert str(seeded(component, 0)) == str(component)


@pytest.mark.parametrize(
    "text", ["[run]\ntopics = " + "[" * 20_000, "[verifiers" + ".a" * 20_000 + "]\nis = 'ppm'"]
)
def test_a_spec_file_nested_too_deep(text, tmp_path):
    (tmp_path / "deep.toml").write_text(text)
    with pytest.raises(SpecError, match=r"deep\.toml: "):
        build({}, tmp_path / "deep.toml")


@pytest.mark.parametrize("key", ["verifiers", "encoder", "pairs", "corpus"])
def test_a_spec_file_calls_nothing(key, tmp_path, monkeypatch):
    """Not while it is parsed, and not where only a plan is asked for."""
    call = "subprocess:Popen(['touch', 'called'])"
    corpus = "" if key == "corpus" else 'corpus = "synthetic"\n'
    value = f"calibrated({call})" if key == "verifiers" else call
    (tmp_path / "evil.toml").write_text(f'[run]\n{corpus}{key} = "{value}"\n')
    monkeypatch.chdir(tmp_path)
    for flags in ([], ["--plan"]):
        done = raven("run", "--spec", "evil.toml", "--out", "run", *flags)
        assert done.code == 2 and "Traceback" not in done.said, done.said
        assert sorted(p.name for p in tmp_path.iterdir()) == ["evil.toml"]


def test_an_option_that_is_no_utf_8_is_refused():
    with pytest.raises(SpecError, match="topic: this text cannot be written as UTF-8"):
        build({"topic": "\udcff"})
