"""Rewritings that Raven does not make: outside programs, and texts made elsewhere."""

import csv
import hashlib
import json
import shlex
import sys

import pytest

from ravenbench import registry
from ravenbench.errors import FormatError, InputError, MissingPart, ProgramError, SpecError
from ravenbench.ext.shelf.obfuscation import translators
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.reading.pan_obfuscation import Part, write_parts
from ravenbench.reading.pan_obfuscation import find_rewritings as find
from ravenbench.tasks.api import obfuscate
from ravenbench.testing import check_obfuscator, toy_tasks

TASKS = toy_tasks(3)


def program(tmp_path, body):
    """An obfuscator that runs a Python program of these lines; ``read`` and ``write`` are given."""
    lines = [
        "import sys, json",
        "from pathlib import Path",
        "given, made, seed = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3]",
        "for place in sorted(given.iterdir()):",
        "    text = (place / 'original.txt').read_text('utf-8')",
        "    out = made / place.name",
        "    out.mkdir()",
        *("    " + line for line in body),
    ]
    file = tmp_path / "rewriter.py"
    file.write_text("\n".join(lines))
    command = f"{shlex.quote(sys.executable)} rewriter.py $inputDataset $outputDir $seed"
    return f"command({command!r}, folder={str(tmp_path)!r}, confine='off')"


def test_a_program_rewrites_all_texts_in_one_process(tmp_path):
    spec = program(
        tmp_path, ["(out / 'obfuscated.txt').write_text(text.replace('a', 'aa') + seed, 'utf-8')"]
    )
    recipe = registry.parse("obfuscator", spec)
    check_obfuscator(recipe, TASKS)
    done = recipe.fit(TASKS).obfuscate_all(TASKS, 5)
    assert [r.text for r in done] == [t.questioned.replace("a", "aa") + "5" for t in TASKS]


def test_a_program_is_started_once_a_run(tmp_path):
    log = tmp_path / "log.txt"
    spec = program(
        tmp_path,
        [
            f"open({str(log)!r}, 'a').write(place.name + ' ')",
            "(out / 'obfuscated.txt').write_text(text + ' Yes.')",
        ],
    )
    texts = tmp_path / "texts"
    texts.mkdir()
    for i, task in enumerate(TASKS * 3):
        (texts / f"{i}.txt").write_text(f"{task.questioned} {i}")
    result = obfuscate(spec, texts, out=tmp_path / "out", folder=tmp_path / "run", workers=1)
    assert log.read_text().split() == [f"{n:04d}" for n in range(1, 10)] and result.written
    assert (tmp_path / "out" / "8.txt").read_text().endswith("8 Yes.")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (["pass"], "not rewritten"),
        (["(out / 'obfuscated.txt').write_text('')"], "no words"),
        (["(out / 'obfuscated.txt').write_text(text * 12)"], "words, but the original has"),
        (["(out / 'obfuscated.txt').write_bytes(b'\\xff\\xfe broken')"], "UTF-8"),
        (["(out / 'obfuscation.json').write_text('[{\"original\": ')"], "not JSON"),
        (
            [
                "(out / 'obfuscated.txt').write_text('le chat est dans la maison avec les enfants et nous ' * 8)"
            ],
            "another language",
        ),
        (["sys.exit(3)"], "code 3"),
        (
            [
                "part = {'original': 'other', 'obfuscation': 'x', 'obfuscation-id': 1}",
                "(out / 'obfuscation.json').write_text(json.dumps([part]))",
            ],
            "does not follow",
        ),
    ],
)
def test_a_program_that_fails_or_writes_half_fails_all(tmp_path, body, told):
    recipe = registry.parse("obfuscator", program(tmp_path, body))
    with pytest.raises(ProgramError, match=told):
        recipe.fit(TASKS).obfuscate_all(TASKS)
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text(TASKS[0].questioned)
    result = obfuscate(str(recipe), texts, out=tmp_path / "out", folder=tmp_path / "run", workers=1)
    assert result.errors and not result.written and not (tmp_path / "out").exists()


def test_a_program_that_is_not_there_is_refused():
    with pytest.raises(InputError, match="program not found"):
        registry.parse("obfuscator", "command('no-such-program')").fit(TASKS)
    with pytest.raises(SpecError, match="empty"):
        registry.parse("obfuscator", "command('')").fit(TASKS)


def new(task):
    return task.questioned.replace("e", "E").replace(". ", ".\u2028 ")


def as_pan(folder):
    for task in TASKS:
        (folder / task.id).mkdir(parents=True)
        write_parts(
            folder / task.id / "obfuscation.json",
            [Part(0, len(task.questioned), task.questioned, new(task))],
        )
    return folder


def as_problems(folder):
    for task in TASKS:
        (folder / task.id).mkdir(parents=True)
        (folder / task.id / "unknown.txt").write_text(new(task))
        (folder / task.id / "known01.txt").write_text("known")
    (folder / "truth.txt").write_text("".join(f"{task.id} Y\n" for task in TASKS))
    (folder / "contents.json").write_text("{}")
    return folder


def as_files(folder):
    folder.mkdir()
    for task in TASKS:
        (folder / f"{task.id}.txt").write_text(new(task))
    return folder


def as_lines(folder):
    folder.mkdir()
    rows = [
        {
            "id": t.id,
            "text": new(t),
            "original_sha256": hashlib.sha256(t.questioned.encode()).hexdigest(),
        }
        for t in TASKS
    ]
    (folder / "t.jsonl").write_text(
        "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    )
    return folder / "t.jsonl"


def as_table(folder):
    folder.mkdir()
    with (folder / "t.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, ["id", "text", "original"])
        writer.writeheader()
        writer.writerows({"id": t.id, "text": new(t), "original": t.questioned} for t in TASKS)
    return folder / "t.csv"


@pytest.mark.parametrize("make", [as_pan, as_problems, as_files, as_lines, as_table])
def test_texts_made_elsewhere_come_in_every_shape(tmp_path, make):
    place = make(tmp_path / "made")
    recipe = registry.parse("obfuscator", f"rewritings({str(place)!r})").fit(TASKS)
    for task in TASKS:
        assert recipe.obfuscate(task).text == new(task)
    stamp = recipe.stamp()
    file = place if place.is_file() else next(p for p in sorted(place.rglob("*")) if p.is_file())
    file.write_text(file.read_text() + "\n")
    assert recipe.stamp() != stamp
    with pytest.raises(InputError, match="no rewriting for 1 of 4 texts"):
        recipe.fit([*TASKS, ObfuscationTask("new", "New one.")])
    with pytest.raises(InputError, match="without a text to rewrite"):
        recipe.fit(TASKS[:2])
    registry.parse("obfuscator", f"rewritings({str(place)!r}, subset=True)").fit(TASKS[:2])


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"text": "Some words.", "original": "Another text."}, "rewrites another text"),
        ({"text": "Some words.", "original_sha256": "00"}, "hash differs"),
        ({"text": "  "}, "no words"),
        ({"text": "word " * 5000}, "words, but the original has"),
        (
            {
                "text": "der Hund und die Katze sind nicht in dem Haus mit dem Garten aber bei uns "
                * 6
            },
            "another language",
        ),
        ({"words": "x"}, "not a rewriting"),
        ("not an object", "not an object"),
    ],
)
def test_what_is_no_rewriting_is_refused(tmp_path, row, told):
    task = TASKS[0]
    file = tmp_path / "t.jsonl"
    file.write_text(json.dumps(row if isinstance(row, str) else {"id": task.id} | row))
    with pytest.raises(InputError, match=told) as error:
        registry.parse("obfuscator", f"rewritings({str(file)!r})").fit([task])
    assert "t.jsonl:1" in str(error.value)


@pytest.mark.parametrize(
    ("name", "table"),
    [("t.csv", "id,text\na,Words.\n"), ("t.jsonl", '{"id": "a", "text": "Words."}')],
)
def test_a_byte_order_mark_as_excel_writes_it_is_no_part_of_a_table(tmp_path, name, table):
    (tmp_path / name).write_text(table, encoding="utf-8-sig")
    assert find(tmp_path / name)["a"].text == "Words."


def test_json_too_deep_to_read_is_refused(tmp_path):
    (tmp_path / "t.jsonl").write_text("[" * 200_000)
    with pytest.raises(FormatError, match="not JSON"):
        find(tmp_path / "t.jsonl")


def test_an_id_twice_another_encoding_and_nothing_are_refused(tmp_path):
    row = json.dumps({"id": "a", "text": "b"})
    (tmp_path / "twice.jsonl").write_text(f"{row}\n{row}\n")
    (tmp_path / "utf16.csv").write_text("id,text\na,b\n", encoding="utf-16")
    (tmp_path / "empty").mkdir()
    for name, told in (
        ("twice.jsonl", "duplicate id"),
        ("utf16.csv", "UTF-8"),
        ("empty", "no rewritings"),
        ("no", "no rewritings"),
    ):
        with pytest.raises(InputError, match=told):
            registry.parse("obfuscator", f"rewritings({str(tmp_path / name)!r})").fit(TASKS)


def translating(tmp_path, body):
    (tmp_path / "mt.py").write_text(
        "import sys\nlines = open(sys.argv[1], encoding='utf-8').read().splitlines()\nsource, target = sys.argv[3:]\n"
        f"open(sys.argv[2], 'w', encoding='utf-8').write({body})\n"
    )
    command = f"{shlex.quote(sys.executable)} mt.py $input $output $source $target"
    return f"keswani-2016(command({command!r}, folder={str(tmp_path)!r}, confine='off', release={body!r}))"


def test_a_program_translates(tmp_path, empty_cache):
    spec = translating(tmp_path, "''.join(line.replace('house', 'home') + '\\n' for line in lines)")
    found = registry.parse("obfuscator", spec).fit(TASKS).obfuscate(TASKS[0])
    assert found.text == TASKS[0].questioned.replace("house", "home")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("lines[0]", "it gave 1 line for"),
        (
            "'le chat est dans la maison avec les enfants et nous sommes ici\\n' * len(lines)",
            "swap languages",
        ),
    ],
)
def test_a_translator_that_loses_lines_or_languages_fails(tmp_path, empty_cache, body, told):
    with pytest.raises(ProgramError, match=told):
        registry.parse("obfuscator", translating(tmp_path, body)).fit(TASKS).obfuscate(TASKS[0])


def test_a_chain_is_checked_before_any_work(monkeypatch):
    monkeypatch.setattr(
        translators, "_pairs", lambda: {("en", "es"): "eng-spa", ("es", "en"): "spa-eng"}
    )
    with pytest.raises(MissingPart, match=r"from es to ca[\s\S]*apt install apertium-spa-cat"):
        registry.parse("obfuscator", "keswani-2016(apertium, chain=('en', 'es', 'ca', 'en'))").fit(
            TASKS
        )
    with pytest.raises(SpecError, match="end where it began"):
        registry.parse(
            "obfuscator", "keswani-2016(tests.translators:Unchanged, chain=('en', 'de'))"
        ).fit(TASKS)


def test_apertium_translates_there_and_back(empty_cache):
    from ravenbench.ext.shelf.obfuscation.translators import Apertium, _pairs

    if not {("en", "es"), ("es", "en")} <= _pairs().keys():
        pytest.skip("apertium-eng-spa is not installed")
    texts = ["The house is big.", "He has [two] dogs,\nand a cat/dog.", "Nobody <knows> it?"]
    there = Apertium().translate(texts, "en", "es")
    assert there[0] == "La casa es grande." and None not in there and len(there) == 3
    assert Apertium().translate(["La casa es grande."], "es", "en") == ["The house is big."]


def test_what_comes_back_unchanged_is_named_and_not_called_hidden(tmp_path):
    texts = tmp_path / "texts"
    texts.mkdir()
    (texts / "a.txt").write_text("Nobody knows the trouble I have seen.")
    for name in ("one", "two"):
        if name == "two":
            (texts / "b.txt").write_text(TASKS[0].questioned)
        spec = translating(
            tmp_path, "''.join(line.replace('house', 'home') + '\\n' for line in lines)"
        )
        result = obfuscate(
            spec, texts, out=tmp_path / name, folder=tmp_path / f"{name}-run", workers=1
        )
        assert result.unchanged == ("a.txt",) and not result.errors
        assert (tmp_path / name).exists() is result.written is (name == "two")
    assert not obfuscate("identity", texts, folder=tmp_path / "identity", workers=1).unchanged


def test_diff_takes_what_obfuscate_writes_of_a_folder(tmp_path):
    from ravenbench.ext.site.diff.pages import diff

    texts = tmp_path / "texts"
    (texts / "sub").mkdir(parents=True)
    (texts / "a.txt").write_text(TASKS[0].questioned)
    (texts / "sub" / "b.txt").write_text(TASKS[1].questioned)
    obfuscate("random(rate=0.4)", texts, out=tmp_path / "out", folder=tmp_path / "run", workers=1)
    found = diff(texts, tmp_path / "out", out=tmp_path / "pages")
    assert found.comparisons == 2 and (tmp_path / "pages" / "index.html").is_file()
    with pytest.raises(InputError, match="no text found here"):
        diff(texts, tmp_path / "run" / "rewritings", out=tmp_path / "pages2")
