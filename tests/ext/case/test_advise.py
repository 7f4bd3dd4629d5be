"""Advice: what gives a text away is found where it stands and gone when it is changed; bad input is one error."""

import json
import re
from dataclasses import replace

import pytest
from comparable import background, case, chinese, text, write
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.cli.tasks import work
from ravenbench.engine.task import declared_of
from ravenbench.errors import CorpusError, FormatError, InputError, SpecError
from ravenbench.ext.case.advise.api import habits, places, without
from ravenbench.ext.case.advise.coach import Coach
from ravenbench.ext.case.advise.command import offered
from ravenbench.ext.case.advise.personal import Personal, personal
from ravenbench.ext.case.advise.report import clip, tables, to_json
from ravenbench.ext.case.compare.task import Compare
from ravenbench.ext.case.validate.task import Validate
from ravenbench.ext.shelf.raven.alternations import Choice

FAST = {"verifiers": "char-ngram,function-words"}


@pytest.mark.parametrize("text", ["a line\nand another", "a long text " * 40])
def test_a_text_in_place_of_a_path_is_said_to_be_one(text):
    with pytest.raises(InputError) as refusal:
        ravenbench.advise(text, known="old", background="others")
    assert "this is a text" in str(refusal.value) and len(str(refusal.value)) < 400


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    return background(tmp_path_factory.mktemp("advise") / "others", authors=range(10), texts=3)


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mine")
    draft, known = case(folder)
    pet = " whilst"
    for path in [draft, *known.iterdir()]:
        words = path.read_text().split(" ")
        write(
            path, "".join(f" {word}{pet * (i % 20 == 7)}" for i, word in enumerate(words)).strip()
        )
    return draft, known


@pytest.fixture(scope="module")
def found(others, mine):
    return ravenbench.advise(*mine, others, **FAST)


def test_a_pet_word_is_found_where_it_stands(found):
    tip = next(tip for tip in found.tips if tip.habit.name == "whilst")
    assert (
        tip.habit.above == 1.0 and tip.habit.z > 3 and tip.habit.others == 0 and tip.habit.content
    )
    assert {found.text[a:b] for a, b in tip.habit.places} == {"whilst"}
    assert tip.gain is not None and tip.gain > 0
    assert found.tips[0].gain == max(t.gain for t in found.tips if t.gain is not None)


def test_choices_that_give_a_text_away_are_listed_with_counts(found):
    assert found.choices == () and "choices" not in {table.key for table in tables(found)}
    forms = {"may": ("may", "might", "could"), "until": ("until", "till")}
    chosen = [Choice(name, forms[name], (0, 4), (1, 7), (0.5, 0.5), 0.3) for name in forms]
    chosen[0] = Choice("may", forms["may"], (0, 4, 0), (0, 7, 1), (0.2, 0.3, 0.5), 0.4)
    advice = replace(found, choices=tuple(chosen * 2))
    (shown,) = (one for one in tables(advice) if one.key == "choices")
    assert len(shown.rows) == 3
    assert shown.rows[0][:3] == ("may", "might 4 : could 0", "might 7 : could 1")
    assert [column.title for column in shown.columns][1:4] == ["here", "known", "others"]
    assert shown.rows[1][:3] == ("until", "until 0 : till 4", "until 1 : till 7")
    listed = to_json(advice)["choices"]
    assert len(listed) == 4 and listed[0]["known"] == {"might": 7, "could": 1}


def test_what_the_verifiers_say_of_an_edit_is_what_was_foretold(found):
    tip = next(tip for tip in found.tips if tip.habit.name == "whilst")
    edited = without(found.text, tip.habit, {})
    assert "whilst" not in edited and "  " not in edited
    told = found.judge.answers([edited])
    assert found.mean - sum(answer for (answer,) in told.values()) / len(told) == pytest.approx(
        tip.gain
    )
    assert sum(found.after.values()) < sum(found.answers.values())


def test_uses_beyond_the_crowds_are_taken_out_and_no_more():
    crowd = ["one two three four, five six seven eight nine ten. " * 20] * 3
    asked = "one, two three, four, five, six, seven, eight, nine, ten. " * 20
    (comma,) = (h for h in habits(asked, [asked], crowd, frozenset(), 9) if h.name == ",")
    assert comma.excess == len(comma.places) - 20
    assert without(asked, comma, {}).count(",") == 20
    assert places("It's its own. ITS end.", "word", "its") == ((5, 8), (14, 17))
    assert clip("https://example.org/" + "a" * 40) == f"“https://example.org/{'a' * 9}…”"
    assert clip("four words stand here, and more") == "“four words stand here, and …”"


def test_one_page_of_eighty_columns(others, mine, found):
    draft, known = mine
    arguments = [
        str(draft),
        "--known",
        str(known),
        "--background",
        str(others),
        "--verifiers",
        FAST["verifiers"],
    ]
    result = CliRunner().invoke(build("advise"), ["advise", *arguments], env={"COLUMNS": "80"})
    assert result.exit_code == 0, result.output
    # A command stands on one line, to be copied.
    lines = [
        line
        for line in result.output.split("\n")
        if not line.startswith("to let Raven rewrite it: raven")
    ]
    assert (
        " by 2 verifiers: " in lines[0]
        and max(map(len, lines[1:])) <= 80
        and len(lines) <= 62
        and "Words that may belong to the topic" in result.output
        and "whilst" in result.output.partition("Words that may be")[2]
        and "raven obfuscate" in result.output
    )
    told = json.loads(CliRunner().invoke(build("advise"), ["advise", *arguments, "--json"]).stdout)
    assert told["answers"] == pytest.approx(dict(found.answers))
    assert len(told["features"]) == len(found.tips) and all(
        one["line"] >= 1 for one in told["sentences"]
    )


def test_advice_begins_with_whether_the_author_is_recognised_and_has_a_page(
    others, mine, found, tmp_path
):
    from ravenbench.ext.case.advise.report import AdviceView, finding

    assert len(found.others) > 20
    assert found.standing == (sum(o >= found.mean for o in found.others), len(found.others))
    assert finding(found) in repr(found)
    near, far = (replace(found, others=(x,) * 40, answers={"a": 0.5}) for x in (0.0, 1.0))
    assert (
        finding(near).startswith("Recognised by 1 verifier: none of 40 texts") and near.stands_out
    )
    assert finding(far).startswith("Not recognised by 1 verifier: 40 of 40 texts")
    page = (
        AdviceView(replace(found, text=found.text + "<script>"))
        .write(tmp_path / "page")
        .read_text()
    )
    assert found.text.count("whilst") == page.count(">whilst</mark>") and "&lt;script&gt;" in page
    told = json.loads((tmp_path / "page" / "report.json").read_text())
    assert told["finding"] == finding(found) and len(told["others"]) == len(found.others)


def test_words_are_proposed_where_wordnet_is(nltk_home):
    from ravenbench.ext.case.advise.api import _instead

    pytest.importorskip("lemminflect")
    assert _instead("The owners were greedy. The owners paid nothing.", ["owners", "were"]) == (
        {"owners": "proprietors"},
        [],
    )


def test_watch_coaches_until_nothing_more_is_to_be_had(others, mine, tmp_path, monkeypatch, capsys):
    draft, known = mine
    watched = write(tmp_path / "draft.txt", draft.read_text())
    versions = iter(["", draft.read_text().replace("whilst", "karemi", 3)])

    def save(seconds):
        try:
            watched.write_text(next(versions))
        except StopIteration:
            raise KeyboardInterrupt from None

    monkeypatch.setattr("time.sleep", save)
    given = {"known": [str(known)], "background": str(others), "verifiers": FAST["verifiers"]}
    work(declared_of("advise"), {"text": str(watched), **given, "watch": True, "json": False})
    out, err = capsys.readouterr()
    assert "the text is empty" in err
    assert len(re.findall(r"line 1: “.*whilst.*” → “.*karemi.*” \([−+]?\.\d+", out)) == 3
    assert re.search(r"mean \.\d+ → \.\d+ \(−\.\d+\)", out)
    assert out.count("still recognised by: ") == 2 and 2 <= out.count("next: ") <= 6


def test_a_coach_says_what_was_worse_and_when_to_stop(found, monkeypatch):
    monkeypatch.setattr("ravenbench.ext.case.advise.coach.LEAST", 0.001)
    coach = Coach(found)
    assert not coach.done
    better = found.text.replace(" whilst", "")
    assert coach.look(better)[0].startswith("line 1:") and coach.advice.mean < found.mean
    lines = coach.look(better.replace(" ", " whilst ", 40))
    assert lines[0].endswith(": worse than before)")
    coach.advice = replace(found, tips=(), sentences=())
    assert coach.done and coach.next()[-1].startswith("no further change would help")


def test_what_names_a_person_is_found_by_kind():
    text = (
        "My brother went to school with Anna Petrova in Novi Sad. I am a nurse, and in May 2004 I was in our town."
        " I'm 27 and one of my friends is a 30-year-old. Write to info@example.org or call"
        " +44 20 7946 0958 (1914-1918, 2011-05-03)."
    )
    kinds = {one.kind: [text[a:b] for a, b in one.places] for one in personal(text)}
    assert kinds == {
        "name": ["Anna Petrova", "Novi Sad"],
        "date": ["May 2004", "1914", "1918", "2011"],
        "age": ["I'm 27", "30-year-old"],
        "people": ["My brother", "one of my friends"],
        "school, work, home": ["our town"],
        "role": ["I am a nurse"],
        "address": ["info@example.org", "+44 20 7946 0958"],
    }
    assert personal(
        "it rains, and nobody is here. As a result, I’m late, and I’ve met Augustine."
    ) == (Personal("name", ((66, 75),)),)
    assert personal("Der Hund lief über die Straße, und das Kind sah ihn in der Stadt. " * 9) == ()


def test_bad_input_is_one_error(others, mine, tmp_path, no_resources):
    draft, known = mine
    with pytest.raises(FormatError, match="the text is empty"):
        ravenbench.advise(write(tmp_path / "empty.txt", " \n"), known, others, **FAST)
    with pytest.raises(
        SpecError, match="texts are missing: give 'background'"
    ):  # and Brown is not here
        ravenbench.advise(draft, known, "", **FAST)
    with pytest.raises(SpecError, match="'known' is missing"):
        ravenbench.advise(draft, (), others, **FAST)
    with pytest.raises(InputError, match="has 9 words; Raven needs at least 50"):
        ravenbench.advise(
            write(tmp_path / "short.txt", "one two three four five six seven eight nine"),
            known,
            others,
        )
    with pytest.raises(InputError, match="repeats the known text"):
        ravenbench.advise(draft, [known, draft], others, **FAST)
    with pytest.raises(CorpusError, match="no author has two documents"):
        ravenbench.advise(
            draft, known, write(tmp_path / "few" / "a" / "1.txt", text(1, 1)).parents[1], **FAST
        )
    with pytest.raises(InputError, match="raven advise takes a text by one author"):
        ravenbench.advise(draft, [f"a={known}", f"b={draft}"], others, **FAST)


def test_on_real_texts(ebg, resources, tmp_path):
    corpus = ravenbench.load_corpus(f"ebg(path={str(next(ebg.glob('*.zip')))!r})")
    own = [i for i in range(len(corpus)) if corpus.author[i] == "h"]
    write(tmp_path / "draft.txt", corpus.texts[own[-1]])
    for i in own[:4]:
        write(tmp_path / "known" / f"{i}.txt", corpus.texts[i])
    for i in range(len(corpus)):
        if corpus.author[i] in [*"abcdef", "aa", "bb", "cc", "dd", "ee", "ff"]:
            write(tmp_path / "others" / str(corpus.author[i]) / f"{i}.txt", corpus.texts[i])
    found = ravenbench.advise(
        tmp_path / "draft.txt", tmp_path / "known", tmp_path / "others", verifiers="function-words"
    )
    first = [(tip.habit.content, not tip.catches_the_eye, -(tip.gain or 0.0)) for tip in found.tips]
    assert first == sorted(first) and max(tip.gain or 0.0 for tip in found.tips) > 0
    assert sum(found.after.values()) < sum(found.answers.values()) and all(
        one.gain > 0 for one in found.sentences
    )
    alone = ravenbench.advise(
        tmp_path / "draft.txt", tmp_path / "known", verifiers="function-words"
    )
    assert alone.tips and alone.notes[0].startswith(
        "no background was given, so Raven compared you with texts printed in 1961"
    )


def test_a_verifier_that_cannot_read_the_background_is_left_out_and_named_by_all_that_compare(
    tmp_path,
):
    others = background(tmp_path / "others", authors=range(10), texts=3)
    questioned, known = case(tmp_path)
    for path in [questioned, *known.iterdir(), *others.rglob("*.txt")]:
        write(path, chinese(path.read_text()))
    conditions = write(tmp_path / "conditions.csv", "questioned,known,texts\n220,220,1\n")
    given = {"verifiers": "lambdag,char-ngram", "folds": 2, "donors": 1, "background": others}
    note = "Raven leaves out lambdag, which reads words, but in Chinese and Japanese spaces do not separate words"
    sources = {"questioned": (str(questioned),), "known": [known]}, {"conditions": str(conditions)}
    for task, more in zip((Compare, Validate), sources, strict=True):
        plan = task({**given, **more, "out": tmp_path / "none"})
        plan.resolve()
        drafted = plan.draft()
        assert drafted.plan.notes == [note] and [one.name for one in drafted.plan.verifiers] == [
            "char-ngram"
        ]
        assert note in " ".join(plan.notes(drafted))
    advice = ravenbench.advise(questioned, known, others, verifiers="lambdag,char-ngram")
    assert note in advice.notes and any("texts are not in English" in one for one in advice.notes)
    assert set(advice.answers) == {"char-ngram"}
    assert any(
        tip.habit.kind == "word" and len(tip.habit.name) == 1 and tip.habit.places
        for tip in advice.tips
    )


def test_a_background_table_by_its_own_columns(others, mine, found, tmp_path):
    rows = (
        {"who": file.parent.name, "what": file.read_text()}
        for file in sorted(others.rglob("*.txt"))
    )
    table = write(tmp_path / "others.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    advice = ravenbench.advise(*mine, table, column="what", author="who", topic="none", **FAST)
    assert advice.answers == pytest.approx(found.answers, abs=0.1)


def test_the_command_that_advice_prints_is_readable(tmp_path):
    folder = tmp_path / "others"
    folder.mkdir()
    assert f"""raven obfuscate "raven-hide(background='{folder}')" d.txt""" in offered(
        "d.txt", ["mine"], str(folder)
    )
    (other := tmp_path / "$HOME").mkdir()
    assert '"raven-hide' not in offered("d.txt", ["mine"], str(other)).split(" d.txt")[0].replace(
        "'\"'\"'", ""
    )
