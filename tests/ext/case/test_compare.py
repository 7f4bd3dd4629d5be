"""One disputed text: answers, abstentions with their reasons, errors, resuming, batches."""

import json
import shutil

import numpy as np
import pytest
from comparable import FAST, background, case, text, write
from typer.testing import CliRunner

import ravenbench
from ravenbench.cli.main import build
from ravenbench.errors import CorpusError, FormatError, InputError, SpecError
from ravenbench.ext.case.compare.analysis import disagreement
from ravenbench.ext.case.compare.material import read_material
from ravenbench.ext.case.compare.model import read_scores
from ravenbench.ext.case.compare.record import ComparePlan, Why
from ravenbench.ext.case.compare.spec import build as spec_of
from ravenbench.ext.case.compare.task import Compare
from ravenbench.ext.case.sentences import signed
from ravenbench.reading.load import load_corpus
from ravenbench.reports.report import analyse, report_of, write_report
from ravenbench.store.store import Store

pytestmark = pytest.mark.usefixtures("undrawn")


@pytest.fixture(scope="module")
def others(tmp_path_factory):
    return background(tmp_path_factory.mktemp("compare") / "others")


@pytest.fixture(scope="module")
def done(others, tmp_path_factory):
    folder = tmp_path_factory.mktemp("done")
    questioned, known = case(folder)
    result = ravenbench.compare(questioned, known, others, out=folder / "case", **FAST)
    assert result.errors == ()
    return result.store


def asked(folder, others, questioned, known, **more):
    return analyse(
        ravenbench.compare(questioned, known, others, out=folder / "case", **{**FAST, **more}).store
    ).cases


def test_the_writer_and_another_are_told_apart(done, others, tmp_path):
    own = analyse(done).cases[0]
    (strange,) = asked(tmp_path, others, *case(tmp_path, writer=70, candidate=71))
    assert own.answered and strange.answered
    assert own.scored.fused.raw > 0.3 and strange.scored.fused.raw < -0.3
    for found in (own, strange):
        fused = found.scored.fused
        assert (
            fused.bounds[0]
            <= fused.interval[0]
            <= fused.llr
            <= fused.interval[1]
            <= fused.bounds[1]
        )


def test_report_says_what_is_needed(done):
    page = write_report(done).read_text()
    assert "This is not a probability that the candidate wrote the text." in page
    assert "log10 LR" in page and "95% interval" in page and "guilt" not in page
    told = json.loads((done.path / "report" / "case.json").read_text())
    found = told["cases"][0]
    assert (
        found["sentence"] in page
        and (found["verbal"] in found["sentence"] or "support neither" in found["sentence"])
        and found["answered"]
        and found["scored"]["content"]["outcome"]
    )
    assert [len(text["sha256"]) for text in found["known"]] == [64, 64]
    assert {"verifier", "log10_lr", "interval", "bounds", "cllr", "cllr_min", "eer"} <= found[
        "scored"
    ]["verifiers"][0].keys()


def test_what_stands_on_the_page_for_the_file_decides_nothing(done, others, tmp_path, monkeypatch):
    before = report_of(done).to_json()["cases"]
    questioned, known = (done.path.parent / name for name in ("questioned.txt", "known"))
    shutil.copytree(done.path, tmp_path / "case")
    given = {"case": '7/26 "A" </style>', "examiner": "Dr <b>", "date": "1 May"}
    monkeypatch.setattr(
        "ravenbench.ext.case.compare.units.learned", lambda *_: pytest.fail("scored again")
    )
    again = ravenbench.compare(
        questioned, known, others, out=tmp_path / "case", **given, **FAST
    ).store
    page = write_report(again).read_text()
    assert (
        report_of(again).to_json()["file"] == given
        and report_of(again).to_json()["cases"] == before
    )
    assert "Dr &lt;b&gt;" in page and "counter(page)" in page and '"A" </style>' not in page
    kept = ravenbench.compare(
        questioned, known, others, out=tmp_path / "case", date="2 May", **FAST
    ).store
    assert report_of(kept).to_json()["file"] == given | {"date": "2 May"}
    with pytest.raises(FormatError, match="'examiner' is too long"):
        ravenbench.compare(
            questioned, known, others, out=tmp_path / "case", examiner="x" * 10000, **FAST
        )


def test_same_input_same_bytes_and_nothing_scored_twice(done, others, tmp_path, monkeypatch):
    first = write_report(done).read_bytes()
    questioned, known = case(tmp_path)
    again = ravenbench.compare(questioned, known, others, out=tmp_path / "case", **FAST).store
    assert write_report(again).read_bytes().replace(str(tmp_path).encode(), b"") == first.replace(
        str(done.path.parent).encode(), b""
    )
    monkeypatch.setattr(
        "ravenbench.ext.case.compare.units.learned", lambda *_: pytest.fail("scored again")
    )
    assert ravenbench.compare(questioned, known, others, out=tmp_path / "case", **FAST).errors == ()


def test_pairs_are_made_like_the_case(done):
    plan = done.plan_as(ComparePlan)
    (shape,) = plan.shapes
    assert len(shape.known) == 2 and shape.wanted is None
    for name in shape.folds:
        fold = done.fold(name)
        assert (fold.test.sizes == 2).all() and (fold.train.sizes == 2).all()
        words = [len(fold.test.texts[row].split()) for row in fold.test.documents]
        assert min(words) >= 0.8 * shape.questioned and max(words) <= shape.known[0]
        held = {fold.test.texts.hash(row) for row in fold.test.documents}
        assert not held & {fold.train.texts.hash(row) for row in fold.train.documents}


def test_strangers_nearest_in_content_are_among_the_pairs_and_count_for_few(done):
    plan = done.plan_as(ComparePlan)
    (shape,) = plan.shapes
    pairs = read_scores(done, plan, shape).pairs
    assert sorted({int(a) for a in pairs.authors.ravel()}) == sorted(shape.authors)
    assert (pairs.weight[pairs.same] == 1).all() and pairs.weight[
        ~pairs.same
    ].sum() == pytest.approx((~pairs.same).sum())
    strangers = pairs.content[~pairs.same]
    mean = float(np.mean(shape.strangers))
    assert len(shape.strangers) == 100 and strangers.mean() > mean + 0.01
    assert np.average(strangers, weights=pairs.weight[~pairs.same]) == pytest.approx(mean, abs=0.01)


def test_a_stranger_on_the_candidates_topic_gets_no_support(others, tmp_path):
    questioned, known = case(tmp_path)
    for number in range(2):
        write(known / f"{number}.txt", text(90, number, topic="dispute"))
    write(questioned, text(71, 50, topic="dispute"))
    (found,) = asked(tmp_path, others, questioned, known)
    assert [reason.why for reason in found.reasons] == [Why.FEW_LIKE] and found.scored is None
    told = report_of(Store.open(tmp_path / "case")).to_json()["cases"][0]
    assert told["verbal"] in (None, "no support either way")


def test_no_interval_is_a_point(done):
    for line in analyse(done).cases[0].scored.verifiers:
        assert line.interval[0] < line.interval[1]


def test_several_candidates_and_texts(others, tmp_path):
    one, first = case(tmp_path / "a", writer=90, candidate=90)
    two, second = case(tmp_path / "b", writer=80, candidate=80)
    two = two.rename(two.with_name("other.txt"))
    found = asked(tmp_path, others, [one, two], {"ann": first, "bob": second})
    llr = {f.id: f.scored.fused.raw for f in found}
    assert list(llr) == ["questioned / ann", "questioned / bob", "other / ann", "other / bob"]
    assert (
        llr["questioned / ann"] > llr["questioned / bob"]
        and llr["other / bob"] > llr["other / ann"]
    )


def test_batch(others, tmp_path):
    case(tmp_path / "a")
    case(tmp_path / "b", writer=70, candidate=71)
    lines = "case,questioned,known,candidate\nfirst,a/questioned.txt,a/known,ann\n"
    lines += "second,b/questioned.txt,b/known/0.txt;b/known/1.txt,bob\n"
    table = write(tmp_path / "cases.csv", lines)
    found = analyse(
        ravenbench.compare(background=others, batch=table, out=tmp_path / "out", **FAST).store
    ).cases
    assert [(f.id, f.candidate, len(f.known)) for f in found] == [
        ("first", "ann", 2),
        ("second", "bob", 2),
    ]
    assert found[0].scored.fused.raw > found[1].scored.fused.raw


def test_spellings_of_a_candidate_in_a_batch_are_joined_and_a_text_of_two_is_refused(
    others, tmp_path
):
    case(tmp_path / "a")
    case(tmp_path / "b", writer=70, candidate=71)
    head = "case,questioned,known,candidate\n1,a/questioned.txt,a/known,Ann Lee\n"
    table = write(tmp_path / "cases.csv", f"{head}2,b/questioned.txt,a/known, ann lee\n")
    read = read_material(spec_of({"batch": table, "background": others}))
    assert [case.candidate.name for case in read.cases] == ["Ann Lee", "Ann Lee"]
    assert "Raven takes ann lee as Ann Lee, another spelling of the same name" in read.notes
    write(table, f"{head}2,b/questioned.txt,b/known/0.txt;a/known/1.txt,Bob\n")
    with pytest.raises(InputError, match="a known text is given for two candidates") as told:
        read_material(spec_of({"batch": table, "background": others}))
    assert "1.txt (Ann Lee and Bob)" in told.value.found
    asked_for = {
        "known": [f"Ann={tmp_path / 'a' / 'known'}", f"Bob={tmp_path / 'a' / 'known' / '0.txt'}"]
    }
    with pytest.raises(InputError, match="a known text is given for two candidates"):
        read_material(
            spec_of(
                {
                    **asked_for,
                    "questioned": [str(tmp_path / "b" / "questioned.txt")],
                    "background": others,
                }
            )
        )


def test_plan_writes_nothing(others, tmp_path):
    questioned, known = case(tmp_path)
    args = [
        "compare",
        "--questioned",
        questioned,
        "--known",
        known,
        "--background",
        others,
        "-o",
        tmp_path / "out",
    ]
    result = CliRunner().invoke(build("compare"), [*map(str, args), "--plan", "--json"])
    told = json.loads(result.stdout)
    assert result.exit_code == 0 and told["problems"]["test"] > 100 and told["done"] == 0
    assert not (tmp_path / "out").exists()
    assert told["notes"][0] == "1 case. The background is others: 48 texts by 12 authors."


def test_a_verifier_that_fails_is_named_and_the_others_answer(others, tmp_path, monkeypatch):
    from ravenbench.verifiers.baselines import CharNgram

    def broken(self, problems):
        raise ZeroDivisionError("no")

    monkeypatch.setattr(CharNgram, "score", broken)
    questioned, known = case(tmp_path)
    result = ravenbench.compare(questioned, known, others, out=tmp_path / "case", **FAST)
    found = analyse(result.store)
    assert result.errors and found.failures[0].verifier == "char-ngram"
    assert [line.name for line in found.cases[0].scored.verifiers] == [
        "function-words",
        "all together",
    ]
    assert "completed cells only: char-ngram has 0 of its" in write_report(result.store).read_text()


REFUSED = {
    "three words": (lambda q, k: write(q, "It was him."), "3 words; Raven needs at least 50"),
    "another language": (
        lambda q, k: write(q, " ".join(text(5, 5, common=list("äöüßéèêçñø"))[:3000].split())),
        "differs from the background in language",
    ),
    "sorted words": (
        lambda q, k: write(q, " ".join(sorted(text(90, 5).split()))),
        "words in alphabetical order",
    ),
    "capitals": (lambda q, k: write(q, text(90, 5).upper()), "100% capital letters"),
    "a known text in capitals": (
        lambda q, k: write(k / "0.txt", text(90, 0).upper()),
        "the known text 0.txt has 100%",
    ),
    "letters apart": (lambda q, k: write(q, "  ".join(text(90, 5))), "spaces between its letters"),
    "identical to a known text": (
        lambda q, k: write(q, text(90, 0)),
        "repeats the known text 0.txt",
    ),
    "identical to a background text": (
        lambda q, k: write(q, text(3, 1)),
        "repeats the background text author03/1",
    ),
}


def test_plan_and_comparison_refuse_a_case_alike_and_nothing_is_computed_about_it(others, tmp_path):
    questioned, known = case(tmp_path)
    write(questioned, text(90, 5).upper())
    own, theirs = (tmp_path / name for name in ("own", "theirs"))
    case(own, writer=91, candidate=91)
    (own / "questioned.txt").rename(own / "mine.txt")
    given = {
        "questioned": [questioned, own / "mine.txt"],
        "known": {"odd": known, "usual": own / "known"},
        "background": others,
        **FAST,
    }
    planned = "\n".join(Compare.plan({**given, "out": theirs}).notes)
    store = ravenbench.compare(**given, out=theirs).store
    cases = store.plan_as(ComparePlan).cases
    refused = {case.id: case.refusals for case in cases if case.refusals}
    assert list(refused) == ["questioned / odd", "questioned / usual"]
    assert "100% capital letters" in str(refused["questioned / odd"][0])
    for name, why in refused.items():
        line = next(one for one in planned.splitlines() if one.endswith(f"because {why[0]}."))
        assert name in line.partition(":")[0].split(", ")
        assert not any(
            one.case == name for s in store.plan_as(ComparePlan).shapes for one in s.problems
        )
    alone = {**given, "questioned": questioned, "known": known}
    assert ravenbench.compare(**alone, out=tmp_path / "alone").store.plan.cells == []


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_compared_is_said_and_not_scored(name, others, tmp_path):
    questioned, known = case(tmp_path)
    change, told = REFUSED[name]
    change(questioned, known)
    (found,) = asked(tmp_path, others, questioned, known)
    assert (
        not found.answered and found.scored is None and told in "; ".join(map(str, found.reasons))
    )
    page = write_report(Store.open(tmp_path / "case")).read_text()
    assert "Raven gives no answer" in page
    assert report_of(Store.open(tmp_path / "case")).to_json()["cases"][0]["log10_lr"] is None


def test_known_texts_of_two_writers_disagree(others, tmp_path):
    questioned, known = case(tmp_path, known=3)
    write(known / "0.txt", text(71, 0))
    (found,) = asked(tmp_path, others, questioned, known)
    assert min(found.scored.known_against_others) < 0 and not found.answered
    assert [r.sentence.partition(":")[0] for r in found.reasons] == ["the known texts disagree"]
    report = report_of(Store.open(tmp_path / "case"))
    (told,) = report.to_json()["cases"]
    assert (
        told["log10_lr"] is None
        and "Least similar to the other known texts: 0.txt" in told["odd_one"]
    )
    assert told["odd_one"] in write_report(report.store).read_text()
    assert told["odd_one"] in "".join(map(str, report.closing()))


def test_known_texts_disagree_only_where_hardly_any_of_one_writer_do():
    sets = np.linspace(-1.5, 3, 40)
    assert disagreement(np.array([-1.4, 2.0]), sets) is None
    assert "of 40 sets" in str(disagreement(np.array([2.0, -1.6]), sets))
    assert disagreement(np.array([0.1, 2.0]), sets + 5) is None
    many = np.linspace(-2, 3, 300)
    assert (
        "3 agree as little" in str(disagreement(many[2:3], many))
        and disagreement(many[3:4], many) is None
    )
    assert (
        disagreement(np.zeros(0), sets) is None
        and disagreement(np.array([-9.0]), np.zeros(0)) is None
    )


def test_background_sets_are_compared_like_the_known_texts(done):
    plan = done.plan_as(ComparePlan)
    (shape,) = plan.shapes
    sets = read_scores(done, plan, shape).sets
    assert sets.same.all() and set(sets.authors[:, 0]) == set(shape.authors)
    for fold in shape.folds:
        assert plan.folds[f"{fold}-known"].train_digest == plan.folds[fold].train_digest
        asked = done.fold(f"{fold}-known").test
        sides = [
            sorted([*asked.known(i).tolist(), int(asked.questioned_index[i])])
            for i in range(len(asked))
        ]
        assert sides[0::2] == sides[1::2]


ERRORS = {
    "empty": (lambda q, k: write(q, " \n"), FormatError, "the text is empty"),
    "latin-1 among UTF-8": (
        lambda q, k: write(k / "0.txt", "caf\xe9".encode("latin-1")),
        FormatError,
        "not UTF-8",
    ),
    "utf-16": (lambda q, k: write(k / "0.txt", text(1, 1).encode("utf-16")), FormatError, "UTF-16"),
    "null bytes": (lambda q, k: write(q, b"a text\0 with one"), FormatError, "NUL byte"),
    "a picture for a text": (
        lambda q, k: q.write_bytes(b"\x89PNG\r\n\xff\x00"),
        FormatError,
        "NUL byte",
    ),
    "no text in the folder": (
        lambda q, k: [p.rename(p.with_suffix(".png")) for p in k.iterdir()],
        InputError,
        "contains no text",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_what_cannot_be_read_is_an_error_and_nothing_is_written(name, others, tmp_path):
    questioned, known = case(tmp_path)
    change, kind, told = ERRORS[name]
    change(questioned, known)
    with pytest.raises(kind, match=told):
        ravenbench.compare(questioned, known, others, out=tmp_path / "case", **FAST)
    assert not (tmp_path / "case").exists()


def test_a_damaged_word_file_is_left_out_of_a_folder_and_refused_alone(others, tmp_path):
    questioned, known = case(tmp_path)
    write(known / "older.docx", b"PK")
    material = read_material(
        spec_of({"questioned": questioned, "known": known, "background": others})
    )
    assert [
        note.startswith("Raven leaves out ") and "older.docx: it is damaged" in note
        for note in material.notes
    ] == [True]
    write(known / "older.txt", text(90, 5))
    (note,) = read_material(
        spec_of({"questioned": questioned, "known": known, "background": others})
    ).notes
    assert note.endswith("Raven did not read other files: older.docx")
    with pytest.raises(FormatError, match="damaged or cut off, or not Word"):
        ravenbench.compare(
            questioned.rename(tmp_path / "letter.docx"),
            known,
            others,
            out=tmp_path / "case",
            **FAST,
        )


def test_backgrounds_that_are_too_small(tmp_path):
    questioned, known = case(tmp_path)
    alike = tmp_path / "alike"
    for place in ("ann/1", "ann/2", "bob/1"):
        write(alike / f"{place}.txt", text(1, 1))
    with pytest.raises(CorpusError, match="3 documents, 1 different") as told:
        ravenbench.compare(questioned, known, alike, out=tmp_path / "x", **FAST)
    assert "is given for several authors" in str(told.value)
    with pytest.raises(CorpusError, match="all documents have the same author"):
        ravenbench.compare(
            questioned, known, background(tmp_path / "one", [1]), out=tmp_path / "x", **FAST
        )
    (found,) = asked(tmp_path, background(tmp_path / "six", range(6)), questioned, known)
    assert (
        not found.answered and "only 6 background authors can provide" in found.reasons[0].sentence
    )


BACKGROUNDS = {
    "UTF-16 among UTF-8": (
        lambda o: write(o / "author01" / "1.txt", text(1, 1).encode("utf-16")),
        "UTF-16",
    ),
    "an empty text": (lambda o: write(o / "author01" / "1.txt", " "), "empty"),
    "no texts": (
        lambda o: [p.rename(p.with_suffix(".png")) for p in list(o.rglob("*.txt"))],
        "no texts by author",
    ),
    "not there": (lambda o: o.rename(o.with_name("elsewhere")), "others"),
}


@pytest.mark.parametrize("name", BACKGROUNDS)
def test_backgrounds_that_cannot_be_read(name, tmp_path):
    questioned, known = case(tmp_path)
    others = background(tmp_path / "others", range(3))
    change, told = BACKGROUNDS[name]
    change(others)
    with pytest.raises(InputError, match=told):
        ravenbench.compare(questioned, known, others, out=tmp_path / "case", **FAST)
    assert not (tmp_path / "case").exists()


def test_every_text_in_another_encoding_is_named_at_once_and_the_option_reads_them(tmp_path):
    questioned, known = case(tmp_path)
    others = background(tmp_path / "others")
    write(questioned, (text(90, 7) + " he didn’t").encode("cp1252"))
    for number in range(2):
        write(known / f"{number}.txt", (text(90, number) + " didn’t").encode("cp1252"))
    write(others / "author01" / "1.txt", (text(1, 1) + " didn’t").encode("cp1252"))
    write(others / "author02" / "1.txt", text(2, 1) + " didn’t")
    given = {"questioned": questioned, "known": known, "background": others}
    with pytest.raises(FormatError, match="3 unusable files") as told:
        read_material(spec_of(given))
    for part in ("questioned.txt", "0.txt", "1.txt", "he didn’t", "--encoding cp1252"):
        assert part in str(told.value)
    asked = [
        "compare",
        *(part for name, path in given.items() for part in (f"--{name}", str(path))),
        "--plan",
    ]
    done = CliRunner().invoke(build("compare"), [*asked, "--encoding", "cp1252"])
    assert done.exit_code == 0, done.output
    assert (
        read_material(spec_of(given | {"encoding": "cp1252"}))
        .cases[0]
        .questioned.text.endswith("he didn’t")
    )
    assert sum(one.endswith("didn’t") for one in load_corpus(others, encoding="cp1252").texts) == 2


def test_an_email_is_noticed_and_said(tmp_path, others):
    questioned, known = case(tmp_path)
    write(
        questioned,
        f"From: Ann Lee <ann@example.org>\nSubject: the flat\n\n{text(90, 7)}\n> and you\n> said so\n-- \nAnn\n",
    )
    asked = [
        "compare",
        "--questioned",
        str(questioned),
        "--known",
        str(known),
        "--background",
        str(others),
        "--plan",
    ]
    done = CliRunner().invoke(build("compare"), asked)
    told = " ".join(done.output.split())
    assert "1 of 3 texts contain parts of e-mails" in told
    assert f"({questioned.name}), which identify the author" in told


@pytest.mark.parametrize(
    "given", [{"questioned": ""}, {"known": ""}, {"known": "anne="}, {"batch": ""}]
)
def test_an_empty_path_is_no_folder(tmp_path, given, others, monkeypatch):
    questioned, known = case(tmp_path)
    monkeypatch.chdir(known)
    texts = {} if "batch" in given else {"questioned": questioned, "known": known}
    with pytest.raises(FormatError, match="empty path"):
        read_material(spec_of({**texts, "background": others, **given}))


def test_two_folders_without_names_are_not_joined(tmp_path, others):
    for name in ("anna b", "bert"):
        write(tmp_path / name / "1.txt", text(90, 1))
    given = {"questioned": tmp_path / "anna b" / "1.txt", "background": others}
    both = [str(tmp_path / "anna b"), str(tmp_path / "bert")]
    with pytest.raises(
        SpecError, match=r"one candidate or several(?s:.*)--known 'anna b=.*anna b' --known bert="
    ):
        read_material(spec_of({**given, "known": both}))
    named = [f"anna={place}" for place in both]
    assert len(read_material(spec_of({**given, "known": named})).cases) == 1, (
        "one name is one person"
    )
    with pytest.raises(
        SpecError, match="texts are missing: give --questioned and --known and --background"
    ):
        read_material(spec_of({}))


def test_the_same_text_twice_is_taken_once_and_said(tmp_path, others):
    questioned, known = case(tmp_path)
    write(known / "again.txt", text(90, 0))
    write(known / "notes.md", "More.")
    material = read_material(
        spec_of({"questioned": questioned, "known": known, "background": others})
    )
    assert len(material.cases[0].candidate.texts) == 2
    assert [
        "again.txt repeats 0.txt" in note or "Raven did not read other files: notes.md" in note
        for note in material.notes
    ] == [True] * 2


def test_a_background_that_holds_the_candidate(tmp_path):
    questioned, known = case(tmp_path)
    others = background(tmp_path / "others")
    for number in range(3):
        write(others / "THE_candidate" / f"{number}.txt", text(60, number))
        write(others / "the.candidate@example.org" / f"{number}.txt", text(62, number))
        write(
            others / "stranger" / f"{number}.txt",
            text(90, number) if number == 0 else text(61, number),
        )
    store = ravenbench.compare(questioned, known, others, out=tmp_path / "case", **FAST).store
    plan = store.plan_as(ComparePlan)
    assert not {"THE_candidate", "the.candidate@example.org", "stranger"} & set(
        plan.background.authors
    )
    told = " ".join(plan.background.left_out)
    assert (
        "THE_candidate: has the same name as the candidate" in told
        and "stranger/0 shares long passages with the known text 0.txt of" in told
    )
    assert "left out of the background" in write_report(store).read_text()


def test_a_case_longer_than_the_background_is_cut_to_it(tmp_path):
    questioned, known = case(tmp_path, known=5, words=900)
    (found,) = asked(
        tmp_path, background(tmp_path / "others", range(12), 3, 160), questioned, known
    )
    (shape,) = Store.open(tmp_path / "case").plan_as(ComparePlan).shapes
    assert found.compared.shortened and found.compared.known == shape.known
    assert sum(shape.known) < 5 * 900 and len(shape.authors) == 12


def test_candidates_are_called_as_a_reader_would(others, tmp_path):
    questioned, known = case(tmp_path)
    smith = known.rename(tmp_path / "smith")
    for given, name in (
        (smith, "smith"),
        (smith / "0.txt", "the candidate"),
        (f"Ann Lee={smith}", "Ann Lee"),
    ):
        spec = spec_of({"questioned": questioned, "known": given, "background": others})
        assert read_material(spec).cases[0].candidate.name == name
    batch = tmp_path / "batch.jsonl"
    row = {"questioned": str(questioned), "known": str(smith), "candidate": "Ann\u2028Lee"}
    batch.write_text(json.dumps(row, ensure_ascii=False))
    assert (
        read_material(spec_of({"batch": batch, "background": others})).cases[0].candidate.name
        == "Ann\u2028Lee"
    )
    assert [signed(value) for value in (-0.04, 0.04, -0.25, 1.0)] == [
        "−0.04",
        "+0.04",
        "−0.2",
        "+1.0",
    ]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"questioned": ()}, "'questioned' is missing"),
        ({"known": ()}, "'known' is missing"),
        ({"background": None}, "missing: give 'background'"),
        ({"known": ["a=x.txt", "y.txt"]}, "each of several candidates needs a name"),
        ({"verifiers": "char-ngam"}, "char-ngram"),
    ],
)
def test_usage(others, tmp_path, given, told):
    questioned, known = case(tmp_path)
    wanted = {"questioned": questioned, "known": known, "background": others, **FAST, **given}
    with pytest.raises(SpecError, match=told):
        ravenbench.compare(**wanted, out=tmp_path / "case")


def test_one_seed_is_taken_and_what_to_do_with_several_is_said(others, tmp_path):
    questioned, known = case(tmp_path)
    given = ["--questioned", questioned, "--known", known, "--background", others, "--plan"]
    several = ["compare", *map(str, given), "--seed", "0,1"]
    refused = CliRunner().invoke(build("compare"), several)
    assert "repeat the command with each seed" in str(refused.exception)
    assert CliRunner().invoke(build("compare"), [*several[:-1], "1"]).exit_code == 0


def test_scores_are_those_of_fits_that_knew_neither_author(done):
    plan = done.plan_as(ComparePlan)
    found = read_scores(done, plan, plan.shapes[0]).pairs
    for fold in np.unique(found.fold):
        inside = set(found.authors[found.fold == fold].ravel().tolist())
        assert not inside & set(found.authors[found.fold != fold].ravel().tolist())


def test_a_script_without_words_is_refused_for_that_and_nothing_else(others, tmp_path):
    thai = [
        write(tmp_path / name, "แมวกินปลาในบ้านของฉัน " * 60) for name in ("asked.txt", "known.txt")
    ]
    plan = Compare(
        {
            "questioned": (str(thai[0]),),
            "known": [thai[1]],
            "background": others,
            "out": tmp_path / "none",
        }
    )
    plan.resolve()
    (case,) = plan.draft().plan.cases
    kinds = {reason.why for reason in case.refusals}
    assert Why.NO_BLANKS in kinds and Why.UNLIKE not in kinds


def test_folders_within_a_candidates_folder_are_said(tmp_path, others):
    for author, person in ((90, "ann"), (91, "bob")):
        write(tmp_path / "known" / person / "1.txt", text(author, 1))
    write(tmp_path / "q.txt", text(90, 2))

    def notes(known):
        return read_material(
            spec_of({"questioned": tmp_path / "q.txt", "background": others, "known": known})
        ).notes

    assert any(
        "including ann, bob" in note and "--known NAME=PATH" in note
        for note in notes(tmp_path / "known")
    )
    assert not any(
        "as one candidate's, including" in note for note in notes(tmp_path / "known" / "ann")
    )
