"""Shared fixtures, and what tests may take from the machine: nothing that they do not ask for.

Tests marked ``data`` skip visibly without the corpora; RAVEN_REQUIRE_DATA=1 forbids it. A test that asks for a corpus
by its fixture is marked by that.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import os
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

from ravenbench import components, errors, files

# How long an example takes is the machine's, which may have other work.
settings.register_profile(
    "same-everywhere",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same-everywhere")
"""Examples of properties are the same in every run; ``pytest --hypothesis-profile default`` draws new ones."""

pytest_plugins = ["job_fixtures", "obfuscation_fixtures", "report_fixtures"]

OWN_HOME = "RAVEN_TESTS_HOME"
"""Environment variable: the empty folder that is the home of all processes of this test run."""
OF_THE_MACHINE = (
    "COLUMNS",
    "LINES",
    "NO_COLOR",
    "FORCE_COLOR",
    "TERM_PROGRAM",
    "BROWSER",
    "NLTK_DATA",
    "SCIKIT_LEARN_DATA",
    "HF_HOME",
    "HF_HUB_CACHE",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "MPLCONFIGDIR",
    "MPLBACKEND",
    "SOURCE_DATE_EPOCH",
    "PYTHONHASHSEED",
    "PYTHONUTF8",
    "PYTHONIOENCODING",
    "PYTHONWARNINGS",
    "LANGUAGE",
    "LC_ALL",
    "RAVEN_CACHE",
    "RAVEN_CELL_TIMEOUT",
)
"""What a user's own settings would change; a test that is about one sets it itself."""


def _seal() -> None:
    """Give this process, and all that it starts, a home, a time zone and a locale that are the same everywhere."""
    for name in OF_THE_MACHINE:
        os.environ.pop(name, None)
    if OWN_HOME not in os.environ:
        os.environ[OWN_HOME] = tempfile.mkdtemp(prefix="raven-tests-")
        atexit.register(shutil.rmtree, os.environ[OWN_HOME], ignore_errors=True)
    os.environ.update(HOME=os.environ[OWN_HOME], TZ="UTC", LANG="C.UTF-8")
    time.tzset()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if (words := data_root() / "nltk_data").is_dir():
        # For a whole process, since what was read of it is kept.
        os.environ["NLTK_DATA"] = str(words)


def data_root() -> Path:
    """The folder of research data: RAVEN_DATA, or ../shared/data beside the checkout."""
    return Path(os.environ.get("RAVEN_DATA", Path(__file__).parents[2] / "shared" / "data"))


_seal()
# Processes that tests start import the tree that is tested, whichever package is installed.
os.environ["PYTHONPATH"] = os.pathsep.join(
    filter(None, [str(Path(__file__).parents[1] / "src"), os.environ.get("PYTHONPATH")])
)


def data_folder(name: str) -> Path:
    """A folder of research data, or a visible skip."""
    folder = data_root() / name
    if not folder.exists():
        if os.environ.get("RAVEN_REQUIRE_DATA"):
            pytest.fail(f"research data {name} must be present here: {folder}")
        pytest.skip(f"research data {name} is not here (set RAVEN_DATA)")
    return folder


@pytest.fixture(scope="session")
def public_reports() -> Path:
    return data_folder("../cases")


CORPORA = {"pan14", "pan18", "pan20", "ebg", "eltec", "stel", "newsgroups_home", "nltk_home"}
"""Fixtures that stand for research data."""
FEW_AND_LONG = {
    "test_builds.py",
    "test_bootstrap.py",
    "test_campaign.py",
    "test_checks.py",
    "test_counting_ahead.py",
    "test_extract.py",
    "test_golden.py",
    "test_new_command.py",
    "test_obfuscate_run.py",
    "test_patterns.py",
    "test_plugin.py",
    "test_resume.py",
    "test_seeds.py",
    "test_signals.py",
    "test_simulate.py",
    "test_taken_out.py",
    "test_wheel.py",
    "test_window_jobs.py",
    "test_window_walk.py",
}
"""Files whose tests take half a second or more each, as ``dearest files`` at the end shows them."""


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Mark what asks for research data, so that ``-m data`` is all of that; of what is chosen, order files for workers,
    who take one after another: those of few long tests first, then by their number, so that none is left alone."""
    for item in items:
        if CORPORA & {*getattr(item, "fixturenames", ())}:
            item.add_marker("data")
    yield
    if "PYTEST_XDIST_WORKER" in os.environ:
        tests = Counter(item.path for item in items)
        items.sort(key=lambda item: (item.path.name not in FEW_AND_LONG, -tests[item.path]))


def pytest_collection_finish() -> None:
    """What stays to the end is looked through for garbage no more, the rest as seldom as in a command: all of a million
    objects again and again took an eighth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 10, 10)


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
def eltec() -> Path:
    return data_folder("eltec")


@pytest.fixture
def stel() -> Path:
    return data_folder("stel")


@pytest.fixture
def newsgroups_home(monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = data_folder("scikit_learn_data")
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(folder))
    return folder


@pytest.fixture
def nltk_home() -> Path:
    return data_folder("nltk_data")


@pytest.fixture(scope="session")
def of_all_workers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all workers of a session of tests: what nobody changes is made once, under a lock."""
    own = tmp_path_factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "of-all-workers"
    folder.mkdir(exist_ok=True)
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
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="keep what commands write and say now as golden",
    )


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


KINDS_OF_SKIPS = {
    "research data": "need research data",
    "the extra": "need an optional extra",
    "ravenbench[": "need an optional extra",
    "could not import": "need an optional extra",
    "axe-core": "need an optional extra",
    "Chromium": "need a browser",
}
"""What the reason of a skip contains, and how it is counted."""


_not_chosen: list[int] = []
"""How many tests were not chosen, by this process or by each of its workers."""


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Count what ``-m`` or ``-k`` leaves out; the workers of a session all leave out the same."""
    _not_chosen.append(len(items))
    if (output := getattr(items[0].config, "workeroutput", None)) is not None:
        output["not_chosen"] = sum(_not_chosen)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over a worker's count."""
    _not_chosen[:] = [getattr(node, "workeroutput", {}).get("not_chosen", 0)]


@pytest.fixture(autouse=True, scope="session")
def no_waiting_for_the_disk() -> None:
    """What is written outlives a process, if not a power cut, and tests cut that of a disk of their own alone
    (``campaigns/power.py``); the processes that they start wait."""
    os.fsync, files._sync_file_system = (lambda handle: None), (lambda folder: True)


@pytest.fixture(autouse=True, scope="session")
def every_option_as_a_flag() -> Iterator[None]:
    """Tests name every option as a flag; those that are none reach the command by a spec file, as users give them."""
    from contracts.commands import flags_in_spec

    with flags_in_spec():
        yield


@pytest.fixture(autouse=True)
def methods_that_tests_replace(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A class of Raven's of which a test replaces a method is Raven's still, but where this is what is tested."""
    if request.module.__name__ == "test_foreign":
        return
    known = components._written_here
    tests = str(Path(__file__).parent)

    def written_here(value: Any) -> bool:
        code = getattr(value, "__code__", None)
        return (code is not None and code.co_filename.startswith(tests)) or known(value)

    monkeypatch.setattr(components, "_written_here", written_here)


@pytest.fixture(autouse=True)
def nothing_remarked() -> Iterator[None]:
    """What one test's commands said is not what another's did: a command in this process leaves no listener
    and no options."""
    yield
    errors.listen()
    errors.OPTIONS.clear()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """End with a line that says how many tests were left out, and why."""
    yield
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or hasattr(session.config, "workerinput"):
        return
    reasons = Counter[str]()
    for report in terminal.stats.get("skipped", ()):
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[
            next(
                (kind for part, kind in KINDS_OF_SKIPS.items() if part in text),
                "need another program or system",
            )
        ] += 1
    if not_chosen := sum(_not_chosen):
        reasons["not chosen (slow ones are by -m slow)"] += not_chosen
    listed = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
    terminal.write_line(f"Left out: {listed or 'nothing'}.")
