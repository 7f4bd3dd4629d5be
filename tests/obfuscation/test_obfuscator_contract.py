import pytest

from ravenbench import registry
from ravenbench.errors import InputError, MissingPart, SpecError
from ravenbench.obfuscation.base import ObfuscationTask, Part, Rewriting, tasks_of, with_questioned
from ravenbench.testing import check_obfuscator, toy_problems, toy_tasks

TOY = "keswani-2016(tests.translators:ToyLossy)"
OFFLINE = [
    "identity",
    "random(rate=0.3)",
    "other-author",
    "mihaylova-2016",
    "mihaylova-2016(mode='faithful')",
    "mansoorizadeh-2016",
    "mansoorizadeh-2016(k=2, mode='faithful')",
    "raven-hide",
    "bevendorff-2019",
    "bevendorff-2019(search='astar', nodes=20)",
    TOY,
    "keswani-2016(tests.translators:Unchanged)",
]
RUNS_WITHOUT = [
    "identity",
    "random(rate=0.3)",
    "other-author",
    "mihaylova-2016",
    "bevendorff-2019",
    TOY,
]


@pytest.mark.data
@pytest.mark.parametrize("spec", OFFLINE)
def test_recipes_keep_the_contract(spec, resources):
    check_obfuscator(registry.parse("obfuscator", spec))


@pytest.mark.parametrize("spec", RUNS_WITHOUT)
def test_recipes_run_without_resources_and_say_so(spec, no_resources):
    recipe = registry.parse("obfuscator", spec)
    check_obfuscator(recipe)
    if spec.startswith(("random", "mihaylova", "bevendorff")):
        notes = recipe.fit(toy_tasks()).obfuscate(toy_tasks()[0]).notes
        assert any("nltk.downloader wordnet" in note for note in notes)


@pytest.mark.parametrize("spec", ["mansoorizadeh-2016", "raven-hide"])
def test_recipes_that_need_wordnet_name_the_command(spec, no_resources):
    recipe = registry.parse("obfuscator", spec)
    with pytest.raises(MissingPart, match=r"python -m nltk\.downloader"):
        recipe.obfuscate(toy_tasks()[0])


def test_identity_changes_nothing():
    task = toy_tasks()[0]
    rewriting = registry.parse("obfuscator", "identity").obfuscate(task)
    assert rewriting.text == task.questioned and not rewriting.changed


def test_a_broken_recipe_is_caught():
    with pytest.raises(AssertionError, match="misquotes"):
        Rewriting((Part(0, 2, "xx", "yy"),)).check("ab")
    with pytest.raises(AssertionError, match="end at 1 of 2"):
        Rewriting((Part(0, 1, "a", "b"),)).check("ab")
    with pytest.raises(AssertionError, match="part 2 starts at 2"):
        Rewriting((Part(0, 1, "a", "b"), Part(2, 3, "c", "c"))).check("abc")


@pytest.mark.parametrize(
    ("text", "language", "reason"),
    [
        ("Ceci est un texte assez long pour être jugé. " * 10, None, "does not look like English"),
        ("Это текст на русском языке.", None, "not Latin"),
        ("A text that is English enough.", "dutch", "its language is dutch"),
        ("... --- !!! 😀", None, "no words"),
    ],
)
def test_what_is_not_english_is_left_with_the_reason(text, language, reason):
    recipe = registry.parse("obfuscator", "random(rate=1.0)")
    found = recipe.obfuscate(ObfuscationTask("x", text, (), language))
    assert not found.changed and reason in found.notes[0]


def test_mixed_scripts_and_emoji_are_rewritten_around(no_resources):
    text = (
        "The word дом means a house and 家 is what they call it there 😀, which is nice to know. "
        * 5
    )
    found = registry.parse("obfuscator", "random(rate=0.5)").obfuscate(ObfuscationTask("x", text))
    assert found.changed and found.text.count("😀") == 5


def test_seeds_differ_and_repeat(no_resources):
    recipe, task = registry.parse("obfuscator", "random(rate=0.4)"), toy_tasks()[0]
    texts = [recipe.obfuscate(task, seed).text for seed in (1, 2, 1)]
    assert texts[0] == texts[2] != texts[1]
    assert recipe.obfuscate(ObfuscationTask("other", task.questioned), 1).text != texts[0]


def test_random_rate_is_a_probability():
    with pytest.raises(SpecError, match="rate must be"):
        registry.parse("obfuscator", "random(rate=2)").obfuscate(toy_tasks()[0])


def test_other_author_takes_a_text_of_an_unrelated_problem():
    tasks = toy_tasks(6)
    recipe = registry.parse("obfuscator", "other-author").fit(tasks)
    for task in tasks:
        text = recipe.obfuscate(task).text
        assert text not in task.known and any(text in other.known for other in tasks)
    with pytest.raises(InputError, match="other problems"):
        registry.parse("obfuscator", "other-author").fit(tasks[:1])


def test_problems_with_new_questioned_texts():
    problems, _ = toy_problems(6, known=2)
    tasks = tasks_of(problems, [1, 3])
    assert [task.id for task in tasks] == ["toy001", "toy003"] and len(tasks[0].known) == 2
    new = with_questioned(problems, [1, 3], ["first new", "second new"])
    assert [new.texts[r] for r in new.questioned_index[[1, 3]]] == ["first new", "second new"]
    assert new.texts.rows(new.known(1)) == problems.texts.rows(problems.known(1))
    assert new.texts[new.questioned_index[0]] == problems.texts[problems.questioned_index[0]]
