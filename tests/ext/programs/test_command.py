"""Outside programs as verifiers: what they get, what they may not do, and what becomes of it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import InputError, ProgramError, RavenError, SpecError
from ravenbench.ext.programs import process as command_process
from ravenbench.ext.programs.process import obstacle
from ravenbench.ext.programs.verifier import Command
from ravenbench.reading.answers import read_answers
from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
from ravenbench.reading.problem_formats.pan_pairs import write_pan_pairs
from ravenbench.reports.report import write_report
from ravenbench.tasks.api import pan14
from ravenbench.tasks.run import spec
from ravenbench.testing import check_verifier, toy_problems
from ravenbench.types import Problems

PYTHON = shlex.quote(sys.executable)

PAIRS = """
import json, sys
place = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open(place["-i"] + "/pairs.jsonl") as given, open(place["-o"] + "/answers.jsonl", "w") as out:
    for line in given:
        record = json.loads(line)
        a, b = (set(text.split()) for text in record["pair"])
        print(json.dumps({"id": record["id"], "value": len(a & b) / len(a | b)}), file=out)
"""

FOLDERS = """
import os, sys
given, out = sys.argv[1:]
with open(out + "/answers.txt", "w") as file:
    for name in sorted(os.listdir(given)):
        if os.path.isdir(os.path.join(given, name)):
            texts = {f: set(open(os.path.join(given, name, f)).read().split())
                     for f in os.listdir(os.path.join(given, name))}
            u = texts.pop("unknown.txt")
            print(name, sum(len(u & k) / len(u | k) for k in texts.values()) / len(texts), file=file)
"""

ANSWER = """
import json, sys
ids = [json.loads(line)["id"] for line in open(sys.argv[2] + "/pairs.jsonl")]
def write(values):
    with open(sys.argv[4] + "/answers.jsonl", "w") as out:
        for name, value in values:
            print(json.dumps({"id": name, "value": value}), file=out)
"""


def program(folder: Path, code: str, name: str = "program.py") -> str:
    (folder / name).write_text(code)
    return f"{PYTHON} {shlex.quote(str(folder / name))}"


def answer(folder: Path, code: str, n: int = 6, **options: object) -> np.ndarray:
    """What a program that begins with ANSWER gives."""
    train, same = toy_problems(4)
    test, _ = toy_problems(n, seed=2, words=20)
    verifier = Command(program(folder, ANSWER + code), **options)  # type: ignore[arg-type]
    return verifier.fit(train, same).verify(test.blind())


@pytest.mark.parametrize("known", [1, 3])
def test_contract(tmp_path: Path, known: int) -> None:
    folders = program(tmp_path, FOLDERS) + " $inputDataset ${outputDir}"
    text = folders if known > 1 else program(tmp_path, PAIRS, "pairs.py")
    check_verifier(Command(text), known=known, problems=toy_problems(12, known, words=30))


def test_answers_are_the_programs(tmp_path: Path) -> None:
    test, _ = toy_problems(8, seed=2, words=30)
    found = Command(program(tmp_path, PAIRS)).fit(*toy_problems(4)).verify(test.blind())
    sets = [set(text.split()) for text in test.texts]
    wanted = [
        len(sets[a] & sets[b]) / len(sets[a] | sets[b])
        for a, b in zip(test.known_index, test.questioned_index, strict=True)
    ]
    assert found.tolist() == wanted


def test_parses_from_a_spec_and_learns_from_training_data(tmp_path: Path) -> None:
    code = """
import os
truth = [json.loads(line) for line in open(os.path.dirname(sys.argv[2]) + "/train/truth.jsonl")]
assert sys.argv[5] == os.path.dirname(sys.argv[2]) + "/train/truth.jsonl"
write([(name, sum(t["same"] for t in truth) / len(truth)) for name in ids])
"""
    text = (
        program(tmp_path, ANSWER + code)
        + " -i $inputDataset -o $outputDir $trainDataset/truth.jsonl"
    )
    verifier = registry.parse("verifier", f"command({text!r}, timeout=60)")
    assert verifier.timeout == 60 and registry.parse("verifier", str(verifier)) == verifier
    train, same = toy_problems(12)
    test, _ = toy_problems(4, seed=2)
    assert verifier.fit(train, same).verify(test.blind()).tolist() == [same.mean()] * 4


def test_no_truth_no_authors_a_cleared_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET", "truth")
    code = """
import os
home = os.path.dirname(sys.argv[2])
seen = [os.path.join(p, f) for p, _, files in os.walk(home) for f in files]
assert seen == [sys.argv[2] + "/pairs.jsonl"], seen
assert "SECRET" not in os.environ and os.environ["HOME"] == os.getcwd() == home + "/work"
assert sys.stdin.read() == ""
write([(name, 0.25) for name in ids])
"""
    assert answer(tmp_path, code).tolist() == [0.25] * 6


def test_its_input_is_a_copy(tmp_path: Path) -> None:
    code = """
import os
os.chmod(sys.argv[2], 0o755); os.chmod(sys.argv[2] + "/pairs.jsonl", 0o644)
open(sys.argv[2] + "/pairs.jsonl", "w").write("mine")
open(sys.argv[2] + "/more", "w").write("mine")
write([(name, 1) for name in ids])
"""
    assert answer(tmp_path, code, confine="off").tolist() == [1.0] * 6
    assert answer(tmp_path, code, confine="off").tolist() == [1.0] * 6


def test_files_of_a_checkout_are_found(tmp_path: Path) -> None:
    program(tmp_path, PAIRS)
    test, _ = toy_problems(4, seed=2)
    fitted = Command(f"{PYTHON} program.py", folder=str(tmp_path)).fit(*toy_problems(4))
    assert fitted.verify(test.blind()).shape == (4,)


FAULTS = {
    "crash": ("raise SystemExit('out of luck')", r"ended with code 1\n.*stderr ends: out of luck"),
    "signal": ("import os; os.kill(os.getpid(), 9)", "SIGKILL ended it"),
    "nothing": ("", "no answers found|not exactly one file"),
    "missing": ("write([(i, 1) for i in ids[1:]])", "1 problem without an answer"),
    "unknown": ("write([(i, 1) for i in [*ids, 'other']])", "without a problem\n.*other"),
    "twice": ("write([(i, 1) for i in [*ids, ids[0]]])", "duplicate id in the answers"),
    "nan": ("write([(i, float('nan')) for i in ids])", "value is NaN"),
    "text": ("write([(i, '1') for i in ids])", "value is a string"),
    "path": ("write([('../' + i, 1) for i in ids])", "without an answer"),
    "range": ("write([(i, 1.5) for i in ids])", "outside"),
    "input": ("input('password? ')", "EOFError"),
    "terminal": ("open('/dev/tty')", "OSError|FileNotFoundError"),
    "not json": ("open(sys.argv[4] + '/answers.jsonl', 'w').write('maybe')", "not JSON"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_failures_are_told_never_scored(tmp_path: Path, fault: str) -> None:
    code, message = FAULTS[fault]
    with pytest.raises(ProgramError, match=message):
        answer(tmp_path, code)


def test_problem_ids_never_name_a_place(tmp_path: Path) -> None:
    """An id with a separator is refused before anything is written outside, or stays a name."""
    text = "one two three"
    problems = Problems.of(
        [("../../x", [text, f"{text} four"], text), ("y", [text], f"{text} five")]
    )
    verifier = Command(program(tmp_path, FOLDERS) + " $inputDataset ${outputDir}").fit(
        *toy_problems(4)
    )
    with pytest.raises(RavenError, match="x"):
        verifier.verify(problems)


def test_stderr_ends_the_message_of_bad_answers(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match="stderr ends: no model"):
        answer(tmp_path, "print('no model', file=sys.stderr); write([(ids[0], 1)])")


def test_a_hang_is_stopped(tmp_path: Path) -> None:
    with pytest.raises(ProgramError, match=r"Raven stopped it after 4 seconds\n.*thinking"):
        answer(
            tmp_path,
            "import time\nprint('thinking', file=sys.stderr, flush=True)\ntime.sleep(60)",
            timeout=4,
        )


def test_a_flood_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_process, "FLOOD", 1 << 20)
    with pytest.raises(ProgramError, match="more than 1,048,576 bytes"):
        answer(tmp_path, "while True: print('x' * 1000)")


@pytest.mark.parametrize("detach", [False, True])
def test_what_stays_behind_is_killed(tmp_path: Path, detach: bool) -> None:
    note = tmp_path / "pid"
    code = f"""
import os, time
write([(i, 1) for i in ids])
if os.fork() == 0:
    if {detach}: os.setsid()
    open({str(note)!r}, "w").write(str(os.getpid()))
    time.sleep(60)
while not os.path.exists({str(note)!r}): time.sleep(0.01)
"""
    with pytest.raises(ProgramError, match="left processes running"):
        answer(tmp_path, code, confine="off")
    status = Path("/proc") / note.read_text() / "stat"
    assert not status.exists() or status.read_text().rpartition(")")[2].split()[0] == "Z"


def test_nothing_is_left_in_the_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    answer(tmp_path, "open('left', 'w').write('x'); write([(i, 1) for i in ids])")
    with pytest.raises(ProgramError):
        answer(tmp_path, "raise SystemExit(3)")
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"command": "no-such-program-anywhere"}, InputError),
        ({"command": "'unclosed"}, SpecError),
        ({"command": "  "}, SpecError),
        ({"command": "true", "timeout": 0.0}, SpecError),
        ({"command": "true", "format": "xml"}, SpecError),
        ({"command": "true", "confine": "maybe"}, SpecError),
        ({"command": "true", "memory": -1.0}, SpecError),
        ({"command": "true", "disk": 0.0}, SpecError),
        ({"command": "true", "readable": ["/no/such/model"]}, InputError),
    ],
)
def test_bad_parameters(options: dict[str, object], error: type[Exception]) -> None:
    with pytest.raises(error):
        Command(**options).fit(*toy_problems(4))  # type: ignore[arg-type]


def test_release_is_part_of_the_identity() -> None:
    assert Command("true") != Command("true", release="2")


def test_confinement_is_no_part_of_the_identity() -> None:
    loose = Command("true", confine="off", readable=["/etc"], memory=1, disk=1, processes=2)
    assert Command("true") == loose and "confine='off'" in str(loose)
    assert registry.parse("verifier", str(loose)).confine == "off"


@pytest.mark.data
def test_public_baseline_runs_unmodified(tmp_path: Path) -> None:
    """PAN 2023's compression baseline from its own checkout (RAVEN_PAN_CODE), equal to running it by hand."""
    checkout = os.environ.get("RAVEN_PAN_CODE")
    if not checkout:
        pytest.skip("set RAVEN_PAN_CODE to a checkout of PAN's public code")
    script = shlex.quote(
        str(Path(checkout) / "clef23/authorship-verification/pan23-verif-baseline-compressor.py")
    )
    learn = f"{PYTHON} {script} --train -train_dir $trainDataset -model_dir model"
    tell = f"{PYTHON} {script} -model_dir model -test_dir $inputDataset -out_dir $outputDir"
    train, same = toy_problems(40, seed=1)
    test, _ = toy_problems(10, seed=2)
    found = (
        Command(shlex.join(["sh", "-ec", f"{learn}; {tell}"])).fit(train, same).verify(test.blind())
    )
    write_pan_pairs(tmp_path / "train", train, same)
    write_pan_pairs(tmp_path / "test", test)
    for by_hand in (learn, tell):
        line = (
            by_hand.replace("$trainDataset", "train")
            .replace("$inputDataset", "test")
            .replace("$outputDir", "out")
        )
        subprocess.run(shlex.split(line), cwd=tmp_path, check=True, capture_output=True)
    wanted = read_answers(tmp_path / "out")
    assert wanted.ids.tolist() == test.ids.tolist() and wanted.value.tolist() == found.tolist()


def test_four_lines_of_a_spec_file(tmp_path: Path) -> None:
    file = tmp_path / "run.toml"
    file.write_text(
        '[run]\nverifiers = ["mine"]\n[verifiers.mine]\ncommand = "python3 \'my program.py\'"\n'
        'timeout = 60\nformat = "pairs"\n'
    )
    assert spec.build({}, file).named_verifiers() == {
        "mine": Command("python3 'my program.py'", timeout=60, format="pairs")
    }
    file.write_text('[verifiers.mine]\ncommand = "true"\ntimout = 60\n')
    with pytest.raises(SpecError, match=r"\[verifiers.mine\].*timout[\s\S]*did you mean 'timeout'"):
        spec.read_toml(file)


def test_a_failing_program_is_a_failed_cell(tmp_path: Path) -> None:
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "toy" / split, *toy_problems(8, seed=seed, words=20))
    broken = Command(program(tmp_path, "raise SystemExit('no model')"))
    result = pan14([tmp_path / "toy"], verifiers=[broken], out=tmp_path / "run", workers=1)
    assert len(result.errors) == 1
    cell = result.store.cell(str(broken), result.store.plan.cells[0].fold)
    assert cell is not None and "stderr ends: no model" in cell.error


def test_the_report_says_whether_programs_were_confined(tmp_path: Path) -> None:
    for split, seed in (("train", 1), ("test", 2)):
        write_pan_problems(tmp_path / "toy" / split, *toy_problems(8, seed=seed, words=20))
    line = program(tmp_path, PAIRS)
    verifiers = [Command(line, confine="off"), Command(line, release="2")]
    result = pan14([tmp_path / "toy"], verifiers=verifiers, out=tmp_path / "run", workers=1)
    page = write_report(result.store)
    free, other = json.loads((page.parent / "report.json").read_text())["programs"]
    assert (
        free["confined"] is False
        and free["how"] == "not confined: confinement is switched off"
        and free["cells"] == 1
    )
    assert other["confined"] is (obstacle() is None)
    assert (
        "Outside programs" in page.read_text() and "confinement is switched off" in page.read_text()
    )
    assert "confinement is switched off" in (page.parent / "tables" / "programs.csv").read_text()
