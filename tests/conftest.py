"""Shared fixtures. Tests marked ``data`` skip visibly without the corpora; RAVEN_REQUIRE_DATA=1 forbids it."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest

pytest_plugins = ["obfuscation_fixtures"]

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Processes that tests start import the tree that is tested, whichever package is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parents[1] / "src"), os.environ.get("PYTHONPATH")])
)


def data_folder(name: str) -> Path:
    """A folder of research data: below RAVEN_DATA, or ../shared/data beside the checkout."""
    root = Path(os.environ.get("RAVEN_DATA", Path(__file__).parents[2] / "shared" / "data"))
    folder = root / name
    if not folder.exists():
        if os.environ.get("RAVEN_REQUIRE_DATA"):
            pytest.fail(f"research data {name} must be present here: {folder}")
        pytest.skip(f"research data {name} is not here (set RAVEN_DATA)")
    return folder


@pytest.fixture
def pan14() -> Path:
    return data_folder("pan14")


@pytest.fixture
def pan18() -> Path:
    return data_folder("pan18")


@pytest.fixture
def pan20() -> Path:
    return data_folder("pan20")


@pytest.fixture
def ebg() -> Path:
    return data_folder("ebg")


@pytest.fixture
def newsgroups_home(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = data_folder("scikit_learn_data")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(folder))
    return folder


@pytest.fixture
def nltk_home(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = data_folder("nltk_data")
    monkeypatch.setenv("NLTK_DATA", str(folder))
    return folder


@pytest.fixture(scope="session")
def need_extra():
    """Imports an optional dependency by name, or skips visibly."""
    return _need_extra


def _need_extra(module: str):
    """Import an optional dependency, or skip visibly; RAVEN_REQUIRE_EXTRAS=1 forbids the skip."""
    if os.environ.get("RAVEN_REQUIRE_EXTRAS"):
        return importlib.import_module(module)
    return pytest.importorskip(module, reason=f"the extra that brings {module} is not installed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="keep what commands write and say now as golden")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the ten dearest files, so that a slow one is seen when it comes."""
    seconds: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = report.nodeid.partition("::")[0]
                seconds[file] = seconds.get(file, 0.0) + report.duration
    if sum(seconds.values()) > 60:
        terminalreporter.section("dearest files, in seconds")
        for file, value in sorted(seconds.items(), key=lambda item: -item[1])[:10]:
            terminalreporter.write_line(f"{value:7.1f} {file}")
