import sys
import types

import pytest

from ravenbench.cli import main
from ravenbench.errors import InputError


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
    monkeypatch.setitem(main.COMMANDS, "sample", ("stand_in:command", ""))
    monkeypatch.setattr(sys, "argv", ["raven", "sample"])
    # What is done to a broken stdout must not outlive this test.
    monkeypatch.setattr(sys, "stdout", sys.stdout)
    monkeypatch.setattr(sys, "stderr", sys.stderr)
    with pytest.raises(SystemExit) as end:
        main.run()
    assert (end.value.code or 0) == code
    assert told in capsys.readouterr().err


def test_unknown_commands_are_usage_errors(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["raven", "smaple"])
    with pytest.raises(SystemExit) as end:
        main.run()
    assert end.value.code == 2 and "smaple" in capsys.readouterr().err
