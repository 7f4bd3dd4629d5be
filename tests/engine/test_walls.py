"""What a method keeps in one call no other call finds, and nothing of its own runs where a run's data are."""

from __future__ import annotations

import importlib
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import ravenbench
from ravenbench import registry
from ravenbench.components import identity, source_hash
from ravenbench.engine import apart, walls
from ravenbench.engine.task import task_of, tasks
from ravenbench.errors import AnswerError, SpecError
from ravenbench.problems.toys import toy_problems
from ravenbench.reports.content import ELSEWHERE, ContentRow, confinement
from ravenbench.reports.report import write_report
from ravenbench.statistics.axes import Content, Judged
from ravenbench.statistics.content import ContentFigures
from ravenbench.store.records import GOOD_FAITH
from ravenbench.store.store import Store

pytestmark = pytest.mark.usefixtures("undrawn")

HOSTILE = '''
import ctypes, gc, os, socket, sys, tempfile
from pathlib import Path
import numpy as np
from ravenbench import Scorer, Verifier
from ravenbench.store.store import Store

HERE = Path(__file__).parent
libc = ctypes.CDLL(None, use_errno=True)
SHM_KEY = 0x52415645
INDEX = "a text of the corpus that everybody has"


def run_at_hand():
    """Whether a run or its texts are in this process."""
    if any(isinstance(one, Store) for one in gc.get_objects()):
        return True
    frame = sys._getframe()
    while frame is not None:
        if any(isinstance(value, Store) for value in frame.f_locals.values()):
            return True
        frame = frame.f_back
    return False


SEEN = run_at_hand()


class Hostile(Scorer):
    """Scores 1 where something of another call is found, 0 where nothing is."""

    def fit(self, problems, same):
        return self

    def score(self, problems):
        try:
            found = bool(self.find())
        except Exception:
            found = False
        try:
            self.keep(problems.texts[0].encode()[:500])
        except Exception:
            pass
        return np.full(len(problems), float(found))


class Reduces(Hostile):
    """Whatever Python calls of an object looks around."""

    def __init__(self, depth: int = 1):
        global SEEN
        self.depth = depth
        SEEN = SEEN or run_at_hand()

    def look(self):
        global SEEN
        SEEN = SEEN or run_at_hand()

    def __reduce__(self):
        self.look()
        return Reduces, (self.depth,), dict(self.__dict__)

    def get_params(self, deep=True):
        self.look()
        return super().get_params(deep)

    @property
    def transductive(self):
        self.look()
        return False

    def __getattr__(self, name):
        self.look()
        return super().__getattr__(name)

    def find(self):
        return SEEN

    def keep(self, data):
        self.look()


class Files(Hostile):
    def place(self):
        return HERE / "kept"

    def find(self):
        return self.place().read_bytes()

    def keep(self, data):
        self.place().write_bytes(data)


class Linked(Files):
    """A file by way of a link out of the scratch folder."""

    def place(self):
        link = Path(tempfile.gettempdir(), "link")
        if not link.is_symlink():
            link.symlink_to(HERE / "kept")
        return link


class Scratch(Files):
    """A file in /tmp, or in shared memory's folder."""

    def place(self):
        return Path("/dev/shm/raven-test-kept")


class Numba(Hostile):
    """The writer of numba's cache."""

    def cache(self):
        from numba.core.caching import IndexDataCacheFile

        return IndexDataCacheFile(str(HERE), "kept", "stamp")

    def find(self):
        return self.cache().load("texts")

    def keep(self, data):
        self.cache().save("texts", data)


class Torch(Hostile):
    """A file mapped by torch."""

    def storage(self):
        import torch

        return torch.UntypedStorage.from_file(str(HERE / "mapped"), True, 64)

    def find(self):
        return any(self.storage().tolist())

    def keep(self, data):
        storage = self.storage()
        for i, byte in enumerate(data[:64]):
            storage[i] = byte


class Sends(Hostile):
    """A datagram to who listens outside."""

    def find(self):
        return False

    def keep(self, data):
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as line:
            line.sendmsg([data], [], 0, str(HERE / "ear"))


class SharedMemory(Hostile):
    """A segment of System V, which lives on without processes."""

    def attached(self, flags):
        libc.shmat.restype = ctypes.c_void_p
        number = libc.shmget(SHM_KEY, 4096, flags)
        if number < 0:
            return None
        at = libc.shmat(number, None, 0)
        return (ctypes.c_char * 64).from_address(at)

    def find(self):
        there = self.attached(0o600)
        return there is not None and there.raw.strip(bytes(1))

    def keep(self, data):
        self.attached(0o1600)[:5] = b"texts"


class Keyring(Hostile):
    """A key in the ring of the session, which forks share."""

    def find(self):
        return libc.syscall(250, 10, -3, b"user", b"raven-test", 0) > 0

    def keep(self, data):
        libc.syscall(248, b"user", b"raven-test", data[:16], 16, -3)


class Printed(Hostile):
    """What it prints is a file or a terminal, which may be read."""

    def find(self):
        return b"KEPT" in Path("/proc/self/fd/2").read_bytes()

    def keep(self, data):
        os.write(2, b"KEPT" + data[:8] + b"\\n")


class Stays(Hostile):
    """A process that stays, and tells by a socket without a file."""

    def find(self):
        with socket.socket(socket.AF_UNIX) as line:
            line.connect("\\0raven-test")
            return line.recv(5)

    def keep(self, data):
        reading, writing = os.pipe()
        if os.fork():
            os.close(writing)
            os.read(reading, 1)
            os.close(reading)
            return
        os.setsid()
        with socket.socket(socket.AF_UNIX) as line:
            line.bind("\\0raven-test")
            line.listen()
            os.write(writing, b".")
            line.settimeout(20)
            line.accept()[0].send(data[:5])
        os._exit(0)


class Settings(Files):
    """A setting of the system, which root may write without any right."""

    def place(self):
        return Path("/proc/sys/kernel/domainname")

    def find(self):
        return "raven" in self.place().read_text()

    def keep(self, data):
        self.place().write_text("raven")


class Nested(Files):
    """It has all rights in namespaces within its own, and makes folders writable there."""

    def place(self):
        return HERE / "pack" / "kept"

    def keep(self, data):
        libc.unshare(0x10000000 | 0x20000)
        for folder in (b"/", bytes(HERE), bytes(HERE / "pack")):
            libc.mount(b"none", folder, None, 0x20 | 0x1000, None)
            libc.umount2(folder, 2)
        super().keep(data)


class Parent(Hostile):
    """The memory of the process that it was forked from, and of any other."""

    def find(self):
        others = [p for p in os.listdir("/proc") if p.isdigit() and int(p) != os.getpid()]
        return os.getppid() or others

    def keep(self, data):
        pass


class Poser(Hostile):
    """It says that it stands for a class that is elsewhere."""

    __module__ = "elsewhere"
    stands_for = ("elsewhere:Poser",)


class Learned(Hostile):
    """It was made with an index of the corpus."""

    def find(self):
        return INDEX

    def keep(self, data):
        pass
'''
WAYS = ["Reduces", "Files", "Linked", "Scratch", "Numba", "Torch", "Sends"]
MORE = ["SharedMemory", "Keyring", "Printed", "Stays", "Parent", "Settings", "Nested"]
CORPUS = "synthetic(authors=40, topics=8, documents=240, words=60)"
OPTIONS = {
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "random",
    "docs_per_topic": 8,
    "probe": "transplant",
    "workers": 1,
}
walled = pytest.mark.skipif(
    sys.platform != "linux" or bool(walls.obstacle()), reason="there are no walls here"
)


@pytest.fixture(params=["hostile"])
def hostile(tmp_path, monkeypatch) -> Iterator[Path]:
    (tmp_path / "hostile.py").write_text(HOSTILE)
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path
    registry.STAND_INS.clear()
    from ravenbench.engine import strangers

    strangers._asked.cache_clear()


@pytest.fixture
def unwalled(monkeypatch) -> Iterator[None]:
    monkeypatch.setenv(walls.SWITCH, "off")
    end_server()
    yield
    end_server()
    Path("/dev/shm/raven-test-kept").unlink(missing_ok=True)


def end_server() -> None:
    if (server := getattr(apart._servers, "last", None)) is not None:
        server.end()
        apart._servers.last = None


def found(name: str) -> list[float]:
    """What the first two calls of a method find."""
    method = registry.parse("verifier", f"hostile:{name}")
    fitted = method.fit(*toy_problems(10, seed=1))
    test = toy_problems(6, seed=2)[0].blind()
    calls = [float(fitted.score(test).max()) for _ in range(2)]
    assert "hostile" not in sys.modules, "its module was loaded here"
    return calls


@walled
@pytest.mark.parametrize("name", [*WAYS, *MORE])
def test_no_call_finds_what_another_kept(name, hostile, monkeypatch):
    pytest.importorskip("torch") if name == "Torch" else None
    heard: list[bytes] = []
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        monkeypatch.chdir(hostile)  # an address of a socket is short
        ear.bind("ear")
        ear.setblocking(False)
        assert found(name) == [0.0, 0.0]
        with suppress(BlockingIOError):
            heard.append(ear.recv(1000))
    assert not heard
    left = {"ear", "hostile.py", "__pycache__", "pack", "__init__.py"}
    assert {one.name for one in hostile.rglob("*")} <= left, "it left a file"


@pytest.mark.parametrize(
    "name",
    ["Files", "Linked", "Numba", "Torch", "Scratch"],
)
def test_without_walls_they_find_it(name, hostile, unwalled):
    pytest.importorskip("torch") if name == "Torch" else None
    assert found(name) == [0.0, 1.0]


def test_without_walls_a_datagram_is_heard(hostile, unwalled, monkeypatch):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as ear:
        monkeypatch.chdir(hostile)
        ear.bind("ear")
        ear.settimeout(10)
        found("Sends")
        assert ear.recv(1000)


def test_what_is_pickled_beside_a_run_sees_it(hostile):
    import hostile as module

    run = Store.__new__(Store)
    try:
        apart.pickled(module.Reduces())
        assert run is not None and module.SEEN
    finally:
        sys.modules.pop("hostile")


@pytest.mark.skipif(sys.platform != "linux", reason="there are no namespaces here")
def test_where_namespaces_are_refused_it_is_said(monkeypatch):
    monkeypatch.delenv(walls.SWITCH, raising=False)
    monkeypatch.setattr(walls, "NAMESPACES", 1)  # no such namespace
    assert walls.obstacle.__wrapped__().startswith("user namespaces are not available: ")


@pytest.mark.skipif(sys.platform != "linux", reason="there are no namespaces here")
def test_on_a_machine_whose_calls_are_not_known_it_is_said(monkeypatch):
    monkeypatch.delenv(walls.SWITCH, raising=False)
    monkeypatch.setattr(walls.platform, "machine", lambda: "riscv64")
    said = walls.obstacle.__wrapped__()
    assert said == "Raven cannot confine a program on this type of machine, riscv64"


def test_what_processes_are_forked_from_imports_no_module_that_is_not_installed(
    tmp_path, monkeypatch
):
    (tmp_path / "transformers_of_others.py").write_text("open(__file__ + '.ran', 'w').close()")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(apart, "_used", {"transformers_of_others"})
    end_server()
    with apart.process(walls.view([], [], None)):
        pass
    end_server()
    assert not list(tmp_path.glob("*.ran"))


FORGED = """
import msgspec
from ravenbench import Scorer

encode = msgspec.json.encode

def lie(reply):
    {lie}
    return encode(reply)

msgspec.json.encode = lie

class Evil(Scorer):
    def __init__(self, inner=None):
        self.inner = inner

    def score(self, problems):
        return [0.0] * len(problems)
"""


@pytest.mark.parametrize(
    "lie",
    [
        "reply |= {'base': ['forged:Evil']} if 'base' in reply else {}",
        "reply |= {'base': ['forged.Evil:x']} if 'base' in reply else {}",
        "reply.get('attributes', {}).update(kind='calibrator', _made=1, __reduce__=1, fit=1)",
        "reply |= {'params': [['kind', 'calibrator'], ['inner', 'forged:Evil']]} if 'params' in reply else {}",
        "reply |= {'said': 3} if 'said' in reply else {}",
        "reply['default_calibrator'] = 'forged:Evil'",
    ],
)
def test_what_others_code_replies_imports_nothing(lie, tmp_path, monkeypatch):
    (tmp_path / "forged.py").write_text(FORGED.format(lie=lie))
    monkeypatch.syspath_prepend(tmp_path)
    registry.STAND_INS.clear()
    with suppress(Exception):
        method = registry.parse("verifier", "forged:Evil")
        with suppress(Exception):
            apart.pickle.loads(apart.pickled(method))
        with suppress(Exception):
            registry.parse("verifier", str(method))
        method.default_calibrator()
    registry.STAND_INS.clear()
    assert "forged" not in sys.modules


@walled
def test_what_was_learned_elsewhere_cannot_be_walled_off_and_is_said(hostile):
    names = ["hostile:Learned", "hostile:Reduces(depth=2)"]
    store = ravenbench.run(
        CORPUS, verifiers=["length", *names], out=hostile / "run", **OPTIONS
    ).store
    assert "hostile" not in sys.modules
    said = f"confined; {ELSEWHERE}"
    for name in names:
        cells = [store.read_cell(one.key) for one in store.plan.cells if one.verifier == name]
        assert {cell.error for cell in cells} == {None}
        assert {cell.record.exposed for cell in cells} == {""}
        assert confinement(store, name, cells) == said
        scores = np.concatenate([cell.arrays["scores"] for cell in cells])
        assert set(scores.tolist()) == {float(name == names[0])}, "a run was in its process"
    page = write_report(store)
    assert said in page.read_text()


def test_without_walls_it_is_said_and_no_board_clears_it(hostile, unwalled):
    store = ravenbench.run(
        CORPUS, verifiers="hostile:Learned", out=hostile / "run", **OPTIONS
    ).store
    cells = [store.read_cell(one.key) for one in store.plan.cells]
    said = confinement(store, "hostile:Learned", cells)
    assert said == f"{GOOD_FAITH} (RAVEN_WALLS=off); {ELSEWHERE}"
    assert GOOD_FAITH in write_report(store).read_text()
    boards = pytest.importorskip("ravenbench.ext.site.boards")
    for outcome in (Content.LESS, Content.FLOOR):
        open_one, confined = (
            boards._of_content(
                ContentRow("v", ContentFigures(), None, Judged(outcome, 0.02, confinement=how))
            )
            for how in (said, "confined")
        )
        assert not open_one["content"].startswith("no content effect")
        assert confined["content"].endswith("(confined)")
        assert (confined["level"], open_one["level"]) == (0, len(boards.CLASSES)), "it is last"


@walled
def test_what_was_loaded_in_this_process_is_not_confined(hostile):
    import hostile as module

    try:
        store = ravenbench.run(
            CORPUS, verifiers=[module.Learned()], out=hostile / "run", **OPTIONS
        ).store
    finally:
        sys.modules.pop("hostile")
    assert apart.made_here(module.Poser())
    programs = {store.read_cell(one.key).record.programs for one in store.plan.cells}
    assert programs == {f"{GOOD_FAITH} (its code ran in Raven's own process)"}


ORDINARY = '''
from pathlib import Path
import numpy as np
from ravenbench import Scorer
from helper import length

class Lengths(Scorer):
    """Lengths."""

    version = 3
    symmetric = True

    def __init__(self, power: float = 1.0, weights: str | None = None, inner=None):
        self.power = power
        self.weights = weights
        self.inner = inner

    def fit(self, problems, same):
        self.weight_ = 1.0 if self.weights is None else float(Path(self.weights).read_text())
        return self

    def score(self, problems):
        ends = enumerate(problems.questioned_index)
        sizes = [abs(length(problems.texts[problems.known(i)[0]]) - length(problems.texts[q])) for i, q in ends]
        return -self.weight_ * np.array(sizes, float) ** self.power


class Thinks(Scorer):
    """By a network."""

    def fit(self, problems, same):
        import torch

        self.net_ = torch.nn.Linear(1, 1)
        return self

    def score(self, problems):
        import torch

        n = len(problems)
        with torch.no_grad():
            return self.net_(torch.ones(n, 1)).numpy()[:, 0] + np.arange(n)
'''


@pytest.fixture
def ordinary(tmp_path, monkeypatch) -> Iterator[Path]:
    (tmp_path / "ordinary.py").write_text(ORDINARY)
    (tmp_path / "helper.py").write_text("def length(text):\n    return len(text)\n")
    (tmp_path / "weights.txt").write_text("2.5")
    (tmp_path / "secret.txt").write_text("a corpus")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend("")
    yield tmp_path
    registry.STAND_INS.clear()


@pytest.mark.parametrize("off", [False, True])
def test_ordinary_methods_of_others_run(off, ordinary, request):
    request.getfixturevalue("unwalled") if off else None
    specs = [
        "ordinary:Lengths",
        "ordinary:Lengths(power=2.0, weights='weights.txt')",
        "calibrated(ordinary:Lengths(power=0.5), logistic)",
    ]
    store = ravenbench.run(CORPUS, verifiers=specs, out=ordinary / "run", **OPTIONS).store
    for one in store.plan.cells:
        cell = store.read_cell(one.key)
        assert cell.error is None, cell.error
        assert cell.record.programs.startswith(GOOD_FAITH if off else "confined")
    assert "ordinary" not in sys.modules and "helper" not in sys.modules


def test_a_stand_in_has_what_the_class_has(ordinary):
    stand_in = registry.parse("verifier", "ordinary:Lengths(2.0)")
    assert "ordinary" not in sys.modules
    again = apart.pickle.loads(apart.pickled(stand_in))
    (ordinary / "ordinary.py").touch()
    import ordinary as module

    try:
        real = module.Lengths(2.0)
        assert str(stand_in) == str(real) == str(again)
        assert identity(stand_in) == identity(real) and stand_in == again
        assert source_hash(stand_in) == source_hash(real)
        assert (stand_in.version, stand_in.symmetric) == (3, True)
    finally:
        sys.modules.pop("ordinary")
        sys.modules.pop("helper")


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("ordinary:Lengths(power='a')", "power must be a number"),
        ("ordinary:Lengths(more=1)", "has no parameter 'more'"),
        ("ordinary:None_", "has no 'None_'"),
        ("nowhere:Class", "module 'nowhere' not found"),
        ("helper:length", "is not a class"),
    ],
)
def test_what_cannot_be_made_is_said_as_before(spec, message, ordinary):
    with pytest.raises(SpecError, match=message):
        registry.parse("verifier", spec)


@walled
def test_a_network_learns_and_answers_behind_walls(ordinary):
    pytest.importorskip("torch")
    fitted = registry.parse("verifier", "ordinary:Thinks").fit(*toy_problems(10, seed=1))
    test = toy_problems(6, seed=2)[0].blind()
    assert len(np.unique(fitted.score(test))) == len(test)


def looks(state):
    """What is seen of some files, behind walls."""
    places = {
        "secret": os.path.exists("secret.txt"),  # noqa: PTH110
        "module": os.path.exists("ordinary.py"),  # noqa: PTH110
        "home": bool([one for one in os.listdir(Path.home()) if one[0] != "."])  # noqa: PTH208
        if Path.home().exists()
        else False,
        "network": bool(socket.if_nameindex()[1:]),
        "rights": Path("/proc/self/status").read_text().partition("CapEff:\t")[2][:16],
    }
    return state, {"seen": repr(sorted(places.items()))}


@walled
def test_the_view_has_code_and_no_data(ordinary):
    with apart.process(walls.view([], [], ordinary / "run")) as process:
        seen = process.ask(looks)["seen"]
    assert seen == (
        "[('home', False), ('module', True), ('network', False), ('rights', '0000000000000000'),"
        " ('secret', False)]"
    )


def reads(state, places):
    """Which of some files can be read, behind walls."""
    return state, {
        "seen": repr([one for one in places if Path(one).is_file() and Path(one).read_bytes()])
    }


@walled
def test_no_link_and_no_parameter_shows_what_a_command_reads(tmp_path, monkeypatch):
    data = tmp_path / "package" / "data"
    data.mkdir(parents=True)
    (tmp_path / "code").mkdir()
    (data / "corpus.csv").write_text("a", "utf-8")
    (tmp_path / "own.csv").write_text("b", "utf-8")
    (tmp_path / "link").symlink_to(data)
    monkeypatch.chdir(tmp_path / "code")
    monkeypatch.setenv(walls.READ, "")
    read = [data / "corpus.csv", tmp_path / "link" / "corpus.csv"]
    places = [*map(str, read), str(tmp_path / "own.csv")]
    parameters = [f"{tmp_path / 'link'}/", f"{data.parent}/", *places]

    def seen(run=None):
        with apart.process(walls.view([], parameters, run)) as process:
            return process.ask(reads, places)["seen"]

    assert seen() == repr(places)
    assert seen(data) == repr(places[-1:])
    for options in (
        {"corpus": f"table(path='{data / 'corpus.csv'}')"},
        {"train": tmp_path / "link", "test": None},
        {"data": [str(data)]},
    ):
        walls.hide(options)
        assert seen() == repr(places[-1:]), options
    walls.hide({"verifiers": str(data), "corpus": "newsgroups"})
    assert seen() == repr(places)


WRITTEN = {"out", "folder", "save", "load", "frozen", "spec", "propose"}
"""Places that a command writes, and what is no data."""


@pytest.mark.parametrize("name", tasks())
def test_what_every_task_reads_is_hidden(name):
    paths = {option.name for option in task_of(name).options() if "Path" in option.takes}
    assert paths - WRITTEN <= {*walls.DATA}


FORGES = """
import numpy as np
from ravenbench import Verifier
from ravenbench.engine import guard

guard.checked_answers = lambda answers, *_: answers

class Forges(Verifier):
    def fit(self, problems, same):
        return self
    def verify(self, problems):
        print("seen", chr(27) + "[8m", flush=True)
        return np.full(len(problems), np.nan)
"""


def test_answers_are_checked_where_no_code_of_others_is(tmp_path, monkeypatch, capfd):
    (tmp_path / "forges.py").write_text(FORGES, "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    method = registry.parse("verifier", "forges:Forges")
    problems, same = toy_problems(20, 1, seed=1)
    learned = apart.Apart.learned(method, None, apart.learn, method, problems, same, False)
    with pytest.raises(AnswerError, match="nan"):
        apart.answered(learned, None, "", problems, calls=[np.arange(len(problems))])
    assert "seen \\x1b[8m" in capfd.readouterr().err


CLAIMS = """
import os
import numpy as np
from ravenbench import Verifier

class Claims(Verifier):
    def __init__(self, home="~/", here="./"):
        self.home, self.here = home, here
    def fit(self, problems, same):
        return self
    def verify(self, problems):
        seen = any(os.path.exists(path) for path in PLACES)
        return np.full(len(problems), 0.9 if seen else 0.6)

class Named(Claims):
    __module__ = "secret"

class Posing(Claims):
    def __init__(self, stands_for=("secret:Class",)):
        self.stands_for = stands_for
"""


@walled
@pytest.mark.parametrize("name", ["Claims", "Named"])
def test_what_a_class_says_of_itself_opens_no_folder(name, tmp_path, monkeypatch):
    """Neither its own default parameters nor another module's name; the user's spec alone does."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for folder in ("home", "secret", "code"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "truth.csv").write_text("a", "utf-8")
    places = [str(tmp_path / folder / "truth.csv") for folder in ("home", "secret", "code")]
    (tmp_path / "claims.py").write_text(CLAIMS.replace("PLACES", repr(places)), "utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    problems, same = toy_problems(20, 1, seed=1)
    stand_in = registry.parse("verifier", f"claims:{name}")
    if name == "Named":  # it is not to be found under the name that it gives itself
        with pytest.raises(apart.Unsendable, match="module 'secret' not found"):
            stand_in.fit(problems, same)
        return
    assert set(stand_in.fit(problems, same).verify(problems).tolist()) == {0.6}


def test_a_parameter_opens_no_other_module(tmp_path, monkeypatch):
    (tmp_path / "claims.py").write_text(CLAIMS.replace("PLACES", "[]"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    stand_in = registry.parse("verifier", "claims:Posing")
    assert stand_in.stands_for == ("secret:Class",)
    seen: list[str] = []
    monkeypatch.setattr(walls, "view", lambda modules, *_: seen.extend(modules) or [])
    with suppress(Exception):
        stand_in.fit(*toy_problems(20, 1, seed=1))
    assert set(seen) == {"claims"}


@walled
def test_a_module_that_is_imported_here_later_confines_nobody(tmp_path, monkeypatch):
    (tmp_path / "later.py").write_text(CLAIMS.replace("PLACES", "[]"), "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    stand_in = registry.parse("verifier", "later:Claims")
    assert apart.made_here(stand_in) == ""
    importlib.import_module("later")
    assert apart.made_here(stand_in)
    sent = stand_in.__reduce__()
    monkeypatch.delitem(sys.modules, "later")
    assert apart.made_here(sent[0](*sent[1]))
