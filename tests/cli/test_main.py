import signal
import subprocess
import sys
import time
import types

import pytest

import ravenbench
from ravenbench.cli import main, show
from ravenbench.cli.show import print_parts
from ravenbench.errors import InputError
from ravenbench.reports.view import Column, Measure, Table, for_terminal
from ravenbench.seams import SHARE, Command


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (None, 0, ""),
        (InputError("bad", fix="better"), 2, "error: bad\n  fix: better"),
        (KeyboardInterrupt(), 130, "interrupted; repeat the same command"),
        (BrokenPipeError(32, "Broken pipe"), 1, ""),
    ],
)
def test_exit_codes(monkeypatch, capsys, error, code, told):
    def command() -> None:
        """Ends as told."""
        if error is not None:
            raise error

    monkeypatch.setitem(sys.modules, "stand_in", types.SimpleNamespace(command=command))
    monkeypatch.setitem(main.COMMANDS, "sample", Command("stand_in:command", "", SHARE))
    monkeypatch.setattr(sys, "argv", ["raven", "sample"])
    # What is done to a broken stdout must not outlive this test.
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    with pytest.raises(SystemExit) as end:
        main.run()
    assert (end.value.code or 0) == code
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("given", [["--progress", "2"], ["--progress=2"]])
def test_how_often_a_log_gets_a_line_of_progress_can_be_given(monkeypatch, given):
    shown = []

    def command() -> None:
        """Takes note."""
        shown.append(show.EVERY)

    monkeypatch.setattr(show, "EVERY", 30.0)
    monkeypatch.setitem(sys.modules, "stand_in", types.SimpleNamespace(command=command))
    monkeypatch.setitem(main.COMMANDS, "sample", Command("stand_in:command", "", SHARE))
    monkeypatch.setattr(sys, "argv", ["raven", *given, "sample"])
    with pytest.raises(SystemExit) as end:
        main.run()
    assert not end.value.code and shown == [2.0]


class PanicException(BaseException):
    """What polars raises."""


@pytest.mark.parametrize(
    ("how", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGHUP, 129)]
)
@pytest.mark.parametrize("error", [ValueError, PanicException])
def test_a_signal_that_a_library_made_another_error_of_interrupts(
    monkeypatch, capsys, how, code, error
):
    def command() -> None:
        """Draws, in C that knows one error alone."""
        try:
            signal.raise_signal(how)
        except KeyboardInterrupt:
            raise error("Invalid affine transformation matrix") from None

    monkeypatch.setitem(sys.modules, "stand_in", types.SimpleNamespace(command=command))
    monkeypatch.setitem(main.COMMANDS, "sample", Command("stand_in:command", "", SHARE))
    monkeypatch.setattr(sys, "argv", ["raven", "sample"])
    # Tests that run side by side ignore Ctrl-C.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        with pytest.raises(SystemExit) as end:
            main.run()
    finally:
        signal.signal(signal.SIGINT, before)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
    said = capsys.readouterr().err
    assert end.value.code == code and "repeat the same command" in said and "affine" not in said


def test_a_kernel_that_is_being_loaded_is_not_interrupted(monkeypatch, capsys):
    done = []

    def command() -> None:
        """Loads a kernel, then waits."""
        loader = {"__name__": "llvmlite.binding", "signal": signal, "done": done}
        exec("signal.raise_signal(signal.SIGTERM); done.append('loaded')", loader)
        time.sleep(20)

    monkeypatch.setitem(sys.modules, "stand_in", types.SimpleNamespace(command=command))
    monkeypatch.setitem(main.COMMANDS, "sample", Command("stand_in:command", "", SHARE))
    monkeypatch.setattr(sys, "argv", ["raven", "sample"])
    try:
        with pytest.raises(SystemExit) as end:
            main.run()
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    assert (
        end.value.code == 143
        and done == ["loaded"]
        and "repeat the same command" in capsys.readouterr().err
    )


def test_unknown_commands_are_usage_errors(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["raven", "smaple"])
    with pytest.raises(SystemExit) as end:
        main.run()
    assert end.value.code == 2 and "smaple" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["imposters", "x"], "'imposters': use the verifier 'general-impostors'"),
        (["general-impostors"], "raven attribute --unknown names an author"),
        (["crossv"], "'crossv': use raven attribute"),
        (["detect"], "docs/faq.md explains why one essay cannot be judged"),
        (["run", "--verifiers", "imposters"], "use the verifier 'general-impostors'"),
        (["map", "novel"], "did you mean 'Novels.zip'?"),
        (["retrieve", "novel"], "did you mean 'Novels.zip'?"),
        (["compare", "--each", "clas"], "did you mean 'class'?"),
    ],
)
def test_what_others_call_so_and_what_is_nearly_so_is_named(
    monkeypatch, capsys, tmp_path, words, told
):
    if words[0] in {"map", "retrieve", "compare"} - main.commands().keys():
        pytest.skip("a command of an extension that is not here")
    (tmp_path / "Novels.zip").touch()
    (tmp_path / "class").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(sys, "argv", ["raven", *words])
    with pytest.raises(SystemExit) as end:
        main.run()
    assert end.value.code == 2 and told in " ".join(capsys.readouterr().err.split())


def test_python_says_what_stylos_functions_are_here():
    with pytest.raises(AttributeError, match="'imposters': use the verifier 'general-impostors'"):
        ravenbench.imposters  # noqa: B018
    assert not hasattr(ravenbench, "compar")


@pytest.mark.parametrize(
    ("given", "missing"),
    [(["report"], "RUN"), (["site", "x"], "--out"), (["corpus", "import"], "SOURCE")],
)
def test_what_is_missing_is_said_as_every_other_error(monkeypatch, capsys, given, missing):
    monkeypatch.setattr(sys, "argv", ["raven", *given])
    with pytest.raises(SystemExit) as end:
        main.run()
    said = capsys.readouterr().err
    assert (
        end.value.code == 2
        and said.startswith(f"error: {missing} is missing\n  expected: ")
        and "--help" in said
    )


def test_prose_of_help_flows_and_examples_stay():
    text = """Do it.

    One sentence
    over two lines.

        raven run
        raven corpus
    """
    assert (
        main._flowing(text)
        == "Do it.\n\nOne sentence over two lines.\n\n    raven run\n    raven corpus"
    )


def test_notes_of_narrow_tables_take_the_whole_width(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    note = "A note that is a good deal wider than the table it belongs to."
    print_parts(
        [
            for_terminal(Table("t", "A title of some words", (Column("a"),), ((1.0,),), note)),
            "after",
        ]
    )
    shown = capsys.readouterr().out.splitlines()
    assert shown[0] == "A title of some words" and shown[-2:] == [note, "after"]


def test_names_of_verifiers_are_whole_in_a_table_of_eighty_columns(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "80")
    columns = (
        Column("verifier", text=True),
        Column("setup", text=True),
        *(Column(c) for c in "abcde"),
    )
    rows = (("function-words", "grouping", *[Measure(0.5, 0.05)] * 5),)
    print_parts([for_terminal(Table("t", "Scores", columns, rows, ""))])
    shown = capsys.readouterr().out
    assert "function-words" in shown and max(map(len, shown.splitlines())) <= 80


def test_the_module_runs_the_command():
    done = subprocess.run(
        [sys.executable, "-m", "ravenbench.cli.main", "--version"], capture_output=True, text=True
    )
    assert done.stdout.startswith("raven ")
