"""Downloads of known collections: whole and as published, or not at all; then the name is a corpus."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest
from typer.testing import CliRunner

from contracts.commands import raven
from ravenbench.errors import FormatError, InputError, MissingPart, remarks_gathered
from ravenbench.ext.corpora.command import app
from ravenbench.reading.catalogue import catalogue, fetch, fetched
from ravenbench.reading.load import load_corpus
from ravenbench.store.resume import data_hash
from ravenbench.testing import check_corpus

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>{title} : ELTeC edition</title>
<author ref="{ref}">{author}</author></titleStmt></fileDesc></teiHeader><text><body><p>{text}</p></body></text></TEI>"""
NOVELS = {
    "ENG1_Bronte": ("Brontë, Anne (1820-1849)", "viaf:1", "The first novel of Anne."),
    "ENG2_Bronte": ("Brontë, Emily (1818-1848)", "viaf:2", "The first novel of Emily."),
    "ENG3_Bronte": ("Bronte, A. (1820-1849)", "viaf:1", "The second novel of Anne."),
}
TOP = "COST-ELTeC-ELTeC-eng-1c3a0d3/"
LANGUAGES = "deu eng fra hun pol por slv spa srp"
KEY = "COST-ELTeC/ELTeC-eng-v1.0.1.zip"


def packed(top: str = TOP, novels: dict[str, tuple[str, str, str]] = NOVELS) -> bytes:
    """A zip as Zenodo has it of a repository: a folder around all, other levels and tables beside the texts."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        file.writestr(f"{top}README.md", "About the novels.")
        for name, (author, ref, text) in novels.items():
            novel = TEI.format(title=name, author=author, ref=ref, text=text)
            file.writestr(f"{top}level1/{name}.xml", novel)
            file.writestr(f"{top}level2/{name}.xml", novel.replace("novel", "n"))
    return made.getvalue()


class Zenodo:
    """A record of Zenodo on this machine: what it publishes, and what it sends."""

    def __init__(self, data: bytes) -> None:
        self.sent = self.published = data
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                answer = outer.record() if self.path == "/api/records/4662490" else outer.sent
                self.send_response(200)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        Thread(target=self.server.serve_forever, daemon=True).start()

    def record(self) -> bytes:
        checksum = f"md5:{hashlib.md5(self.published).hexdigest()}"
        links = {"self": f"{self.address}/file"}
        return json.dumps({"files": [{"key": KEY, "checksum": checksum, "links": links}]}).encode()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def zenodo(cache, monkeypatch, need_extra):
    need_extra("pooch")
    from pooch import downloaders

    def resolved(doi: str, **_: object) -> str:
        assert doi == "10.5281/zenodo.4662490"
        return "https://zenodo.org/records/4662490"

    here = Zenodo(packed())
    monkeypatch.setattr(downloaders, "doi_to_url", resolved)
    monkeypatch.setattr(downloaders.ZenodoRepository, "base_api_url", f"{here.address}/api/records")
    yield here
    here.close()


def zips(cache: Path) -> list[Path]:
    """What is kept of downloads."""
    return [path for path in (cache / "corpora").rglob("*") if path.is_file()]


@pytest.mark.extra
def test_the_name_is_a_corpus_of_the_texts_alone(zenodo, cache, tmp_path, monkeypatch):
    done = CliRunner().invoke(app, ["fetch", "eltec-eng", "--json"])
    place = json.loads(done.stdout)["place"]
    assert place == f"{cache}/corpora/eltec-eng/{KEY}/{TOP}level1"
    assert (cache / "corpora/eltec-eng" / KEY).read_bytes() == zenodo.published
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eltec-eng").mkdir()
    with remarks_gathered() as said:
        corpus = load_corpus("eltec-eng")
    assert any("./eltec-eng names the file or folder here" in str(note) for note in said)
    check_corpus(corpus)
    assert (corpus.name, len(corpus)) == ("eltec-eng", 3)
    by_text = {document.text.strip(): document.author for document in corpus}
    first, emily, second = (by_text[text] for _, _, text in NOVELS.values())
    assert first == second != emily
    assert data_hash("eltec-eng") == data_hash(place)
    told = CliRunner().invoke(app, ["info", "eltec-eng", "--json"])
    assert json.loads(told.stdout)["corpus"]["documents"] == 3
    checked = CliRunner().invoke(app, ["check", "eltec-eng", "--json"])
    assert json.loads(checked.stdout)["holds"] == "3 texts by 2 authors"
    known = CliRunner().invoke(app, ["info", "eltec-deu"])
    assert "raven corpus fetch eltec-deu" in known.stdout and "CC BY 4.0" in known.stdout


@pytest.mark.extra
def test_a_whole_copy_is_not_downloaded_again_and_a_damaged_one_is(zenodo, cache):
    fetch("eltec-eng")
    fetch("eltec-eng")
    assert zenodo.asked.count("/file") == 1
    (copy,) = zips(cache)
    copy.write_bytes(copy.read_bytes()[:99])
    fetch("eltec-eng")
    assert copy.read_bytes() == zenodo.published


@pytest.mark.extra
@pytest.mark.parametrize("sent", [packed()[:-9], packed("other/"), b"<html>Try later</html>"])
def test_another_file_than_the_published_one_is_refused_whole(zenodo, cache, sent):
    zenodo.sent = sent
    with pytest.raises(InputError, match=r"could not download eltec-eng[\s\S]*network"):
        fetch("eltec-eng")
    assert zips(cache) == [] and fetched("eltec-eng") == "eltec-eng"
    with pytest.raises(InputError, match=r"raven corpus fetch eltec-eng"):
        load_corpus("eltec-eng")


@pytest.mark.extra
@pytest.mark.parametrize(
    ("file", "told"),
    [
        ({"key": "../../../outside.zip"}, "without a checksum or place"),
        ({"key": "/{}/outside.zip"}, "without a checksum or place"),
        ({"checksum": None}, "without a checksum or place"),
        ({"links": {"self": "file:///etc/hosts"}}, "file:///etc/hosts"),
        ({"key": None}, "could not download"),
        (None, "no files"),
    ],
)
def test_a_hostile_record_writes_nothing(zenodo, cache, tmp_path, file, told):
    before = json.loads(zenodo.record())["files"][0]
    if file and "{}" in str(file.get("key")):
        file = {"key": file["key"].format(tmp_path)}
    record = {"files": [] if file is None else [{**before, **file}]}
    zenodo.record = lambda: json.dumps(record).encode()
    with pytest.raises(
        InputError, match=f"could not download eltec-eng[\\s\\S]*{told}|{told} eltec"
    ):
        fetch("eltec-eng")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.extra
def test_a_damaged_copy_is_named(zenodo, cache):
    fetch("eltec-eng")
    (copy,) = zips(cache)
    for content in (b"no zip", copy.read_bytes()[:-30]):
        copy.write_bytes(content)
        for read in (fetched, load_corpus):
            with pytest.raises(FormatError, match=r"v1\.0\.1\.zip: .*zip"):
                read("eltec-eng")


@pytest.mark.extra
def test_a_copy_at_hand_outlives_a_failed_download(zenodo, cache):
    fetch("eltec-eng")
    zenodo.published = packed("newer/")
    zenodo.sent = b"nothing"
    with pytest.raises(InputError, match="could not download eltec-eng"):
        fetch("eltec-eng")
    assert len(load_corpus("eltec-eng")) == 3


@pytest.mark.extra
def test_a_zip_without_the_folder_of_texts_is_named(zenodo):
    zenodo.sent = zenodo.published = packed().replace(b"level1", b"levelX")
    with pytest.raises(FormatError, match=r"ELTeC-eng-v1\.0\.1\.zip: no texts by author"):
        fetch("eltec-eng")


@pytest.mark.extra
def test_without_a_network_one_error_says_what_to_do(zenodo, cache):
    zenodo.close()
    done = CliRunner().invoke(app, ["fetch", "eltec-eng"])
    assert isinstance(done.exception, InputError)
    assert done.exception.fix == "check the network connection, and repeat the command"
    assert zips(cache) == []


def test_without_the_package_its_extra_is_named(cache, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(MissingPart, match=r"pip install 'ravenbench\[collections\]'"):
        fetch("roman18")


def test_every_download_says_where_it_lies_and_on_what_terms():
    downloads = {name: entry for name, entry in catalogue().items() if entry.folder}
    languages = {name.partition("-")[2] for name in downloads if name.startswith("eltec-")}
    assert languages == {*LANGUAGES.split()}
    assert {"roman18", "conha19"} <= set(downloads)
    for name, entry in downloads.items():
        assert entry.fetch == entry.url.replace("https://doi.org/", "doi:") + "/"
        assert "ublic" in entry.licence and f"--background {name}" in entry.instructions


@pytest.mark.extra
def test_the_name_is_a_background(zenodo, tmp_path):
    texts = iter(load_corpus("synthetic(authors=26, topics=4, documents=130, words=300)"))
    made = {
        f"ENG{n}": (str(one.author), f"viaf:{one.author}", one.text) for n, one in enumerate(texts)
    }
    zenodo.sent = zenodo.published = packed(novels=made)
    fetch("eltec-eng")
    *_, questioned, known = load_corpus(
        "synthetic(authors=9, topics=4, documents=36, words=300, seed=1)"
    )
    for name, one in (("q", questioned), ("k", known)):
        (tmp_path / f"{name}.txt").write_text(one.text)
    case = ["--questioned", str(tmp_path / "q.txt"), "--known", str(tmp_path / "k.txt")]
    done = raven("compare", *case, "--background", "eltec-eng", "--plan")
    assert done.code == 0 and "The background is eltec-eng: 128 texts by 24 authors" in done.said


@pytest.mark.data
@pytest.mark.slow
def test_the_english_novels_as_they_would_be_fetched(cache, eltec):
    place = cache / "corpora" / "eltec-eng" / "eltec-eng.zip"
    place.parent.mkdir(parents=True)
    place.write_bytes(next(eltec.glob("*.zip")).read_bytes())
    corpus = load_corpus("eltec-eng", pairs=False)
    assert (len(corpus), len(corpus.author.names)) == (67, 47)
