"""A third proposition: a model that imitates the candidate wrote the text."""

import json

import pytest
from comparable import background, case, text, write

import ravenbench
from ravenbench.errors import InputError, SpecError
from ravenbench.ext.case.compare.machine import FEWEST_OWN, plain
from ravenbench.ext.case.compare.spec import build
from ravenbench.ext.case.compare.task import Compare
from ravenbench.reports.report import analyse, report_of, write_report

MODEL, CANDIDATE = 500, 90
QUICK = {"verifiers": "comparable:Telling()", "folds": 3, "donors": 1}


def machine(author, number, degree=0.3):
    return text(author, 100 + number, model=MODEL, degree=degree)


def imitated(folder, authors=range(12), own=FEWEST_OWN):
    for author in authors:
        for number in range(2):
            write(folder / f"author{author:02d}" / f"{number}.txt", machine(author, number))
    for number in range(own):
        write(folder / "smith" / f"{number}.txt", machine(CANDIDATE, number))
    return folder


def drafted(folder, given, asking=True):
    questioned, known = case(folder)
    others = background(folder / "others")
    task = Compare(
        dict(questioned=questioned, known={"smith": known}, background=others, machine=given, out=folder / "c", **QUICK)
    )
    return task.draft().plan if asking else task.preview()


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    folder = tmp_path_factory.mktemp("machine")
    case(folder)
    written = {"own": text(CANDIDATE, 50), "other": text(70, 50), "machine": machine(CANDIDATE, 50)}
    rows = [f"{name},{write(folder / f'{name}.txt', body)},{folder / 'known'},smith" for name, body in written.items()]
    batch = write(folder / "cases.csv", "case,questioned,known,candidate\n" + "\n".join(rows))
    result = ravenbench.compare(
        batch=batch, background=background(folder / "others"), machine=f"toy </b> 1={imitated(folder / 'machine')}",
        out=folder / "run", workers=1, **QUICK,
    )  # fmt: skip
    assert result.errors == ()
    return result


def test_ratios_point_to_who_wrote_the_text(done):
    of = {case.record.id: [one.line.llr for one in case.third] for case in analyse(done).cases}
    assert of["own"][0] > 0.3 and of["other"][1] > 0 and max(of["machine"]) < -0.3
    for found in analyse(done).cases:
        for one in found.third:
            low, high = one.line.interval
            assert not one.reasons and one.line.bounds.lower <= low <= one.line.llr <= high <= one.line.bounds.upper
            assert low < high and len(one.own) == FEWEST_OWN


def test_the_page_says_what_the_third_proposition_is(done):
    folder = write_report(done).parent
    told = json.loads((folder / "case.json").read_text())
    page = (folder / "answer-3.html").read_text()
    assert (
        told["cases"][2]["propositions"]["hm"] == "the model toy </b> 1, asked to write like smith, wrote machine.txt"
    )
    assert "The model toy &lt;/b&gt; 1, asked to write like smith" in page and "toy </b>" not in page
    assert "for this model and this way of asking only" in page and "is a machine" not in page
    assert told["cases"][2]["third"]["pairs"][0]["sentence"] in told["cases"][2]["sentence"]
    assert told["machine"]["authors"] == 13 and "against Hm" in (folder / "index.html").read_text()


def test_tokens_are_shown_as_they_were_weighed(done):
    own = next(case for case in analyse(done).cases if case.record.id == "own")
    ((name, passages),) = own.tokens
    shown = [token for passage in passages for token in passage.tokens]
    assert "Telling" in name and "".join(t.before + t.text for t in shown) == text(CANDIDATE, 50)
    assert all(token.log10 == (1.0 if token.text[0].isupper() else -0.3) for token in shown if token.text)


def test_length_and_side_of_the_model_tell_nothing(done):
    (shape,) = report_of(done).analysis.plan.shapes
    for name in (f"{fold}-machine" for fold in [*shape.folds, shape.name]):
        test = done.store.fold(name).test
        words = {len(test.texts[row].split()) for row in test.questioned_index}
        assert words == {int(0.8 * shape.questioned)}, "questioned texts are of one length"
        half = len(test) // 2
        assert (test.questioned_index[:half] == test.questioned_index[half:]).all()
        assert len({tuple(test.known(i)) for i in range(half, 2 * half)}) == 1, "the model's texts are one side"


def test_nothing_is_said_without_enough_imitations(tmp_path):
    few = drafted(tmp_path / "a", f"toy={imitated(tmp_path / 'a' / 'm', authors=range(6))}").machine
    assert "6 background authors are imitated" in few.cases["questioned"].reason


def test_what_tells_a_machine_other_than_by_style_is_left_out(tmp_path):
    folder = imitated(tmp_path / "m", own=1)
    write(folder / "author00" / "0.txt", "Sure! Here is the text: " + machine(0, 0))
    write(folder / "author00" / "1.txt", text(90, 50))
    write(folder / "nobody" / "0.txt", machine(0, 3))
    write(folder / "author01" / "0.txt", "Diese Stadt liegt weit im Norden. " * 40)
    found = drafted(tmp_path, f"toy={folder}").machine
    left_out = " ".join(found.left_out)
    assert "1 imitations of the candidate" in found.cases["questioned"].reason
    for reason in ("preamble", "repeats a text of the case", "of nobody in the background", "another language"):
        assert reason in left_out
    assert plain("# A\n\n**bold** – “so”…\n- one <text>") == 'A bold - "so"... one'


def test_a_model_is_asked_within_its_limits_and_never_for_a_preview(server, tmp_path, empty_cache, monkeypatch):
    count = iter(range(1000))
    server.answers = [lambda body: (200, {"choices": [
        {"message": {"content": machine(0, next(count))}, "finish_reason": "stop"}]})]  # fmt: skip
    recipe = f"imitate(model='m', url='{server.url}', retries=0)"
    preview = drafted(tmp_path / "a", recipe, asking=False)
    assert not server.asked and any("26 imitations would be asked for" in note for note in preview.notes)
    plan = drafted(tmp_path / "b", recipe)
    assert len(server.asked) == 26 and plan.machine.texts == 26 and plan.machine.cases["questioned"].reason is None
    monkeypatch.setenv("RAVEN_LLM_CALLS", "25")
    with pytest.raises(InputError, match="more often than is allowed"):
        drafted(tmp_path / "c", recipe)


@pytest.mark.parametrize("given", ["folder", "=folder", "gpt="])
def test_imitations_come_with_the_name_of_their_model(given):
    with pytest.raises(SpecError, match="name of their model"):
        build({"questioned": ["q"], "known": ["k"], "background": "b", "machine": given})
    with pytest.raises(SpecError, match="not about a class"):
        build({"each": "folder", "machine": "gpt=folder"})
