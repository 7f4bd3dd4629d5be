"""What is done in other processes while one plans."""

import os
import signal
from pathlib import Path

import pytest

from ravenbench.engine.guard import warm_up_kernels
from ravenbench.engine.pool import aside
from ravenbench.errors import SpecError
from ravenbench.registry import parse


def refuse(what: str) -> None:
    raise SpecError("this cannot be", found=what)


def end_of(first: int) -> int:
    """Ends any process but the first."""
    if os.getpid() != first:
        os._exit(1)
    return first


HERE = os.getpid()


def test_work_is_begun_elsewhere_and_failures_are_told_here() -> None:
    with aside(2) as meanwhile:
        elsewhere, refused, ended = (
            meanwhile(os.getpid),
            meanwhile(refuse, "x"),
            meanwhile(end_of, HERE),
        )
        assert elsewhere() != HERE
        with pytest.raises(SpecError, match="this cannot be") as told:
            refused()
        assert told.value.found == "x"
        assert ended() == HERE


def test_with_one_core_nothing_is_done_before_it_is_asked_for(tmp_path: Path) -> None:
    with aside(1) as meanwhile:
        made = meanwhile((tmp_path / "made").touch)
        assert not (tmp_path / "made").exists()
        made()
    assert (tmp_path / "made").exists()


def test_a_rehearsal_says_nothing_of_what_fails(capfd: pytest.CaptureFixture[str]) -> None:
    warm_up_kernels([parse("verifier", "char-ngram"), parse("verifier", "raven-2026(impostors=1)")])
    assert capfd.readouterr() == ("", "")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="no masks of signals here")
def test_another_process_does_not_hear_ctrl_c_and_this_one_does() -> None:
    with aside(2) as begin:
        assert signal.SIGINT in begin(signal.pthread_sigmask, signal.SIG_BLOCK, ())()
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
