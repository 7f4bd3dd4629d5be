"""Who gets an answer from a window, which files it gives, and what its forms have and send."""

from __future__ import annotations

import os
import subprocess
import sys
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from windows import window

from ravenbench.cli.main import commands
from ravenbench.ext.window.forms import COMMANDS, options, original, typed, words
from ravenbench.outputs import MARK

HOSTILE = (
    "<script>alert(1)<",
    "a 'b' \"c\"",
    "two\nlines",
    " blank ",
    "-x",
    "ü" * 120,
    b"\xff\xfe",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("window")
    for name in HOSTILE:
        (place / os.fsdecode(name)).mkdir()
    (place / ".hidden").mkdir()
    (place / "secret.txt").write_text("nobody may read this")
    report = place / "raven-runs" / "mine" / "report"
    report.mkdir(parents=True)
    (report / "index.html").write_text("<p>a report</p>")
    (report / MARK).write_text('{"kind": "run"}')
    (report / "link.txt").symlink_to(place / "secret.txt")
    (place / "raven-runs" / "other" / "report").mkdir(parents=True)
    (place / "raven-runs" / "other" / "report" / "index.html").write_text("not by Raven")
    return place


@pytest.fixture(scope="module")
def opened(folder, need_extra):
    need_extra("starlette")
    need_extra("uvicorn")
    with window(folder) as one:
        yield one


pytestmark = pytest.mark.extra


class Parts(HTMLParser):
    """Every tag of a page, with its attributes."""

    def __init__(self, text):
        super().__init__()
        self.tags = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.mark.parametrize(
    ("place", "headers"),
    [
        ("/", {}),
        ("/favicon.ico", {}),
        ("/wrong/", {}),
        ("/form/compare", {}),
        ("", {"Host": "example.org"}),
        ("", {"Host": "127.0.0.1:1"}),
        ("", {"Host": "127.0.0.1"}),
        ("nothing", {}),
        ("form/window", {}),
        ("form/corpus", {}),
        ("job/2026", {}),
        ("events/2026?0", {}),
    ],
)
def test_a_stranger_gets_no_answer(opened, place, headers):
    status, _, text = opened.ask(place, headers=headers)
    assert (status, text) == (404, "")


def test_both_names_of_this_machine_are_answered(opened):
    port = opened.host.partition(":")[2]
    status, headers, text = opened.ask(headers={"Host": f"localhost:{port}"})
    assert status == 200 and "Did this person write this text?" in text
    assert headers["X-Content-Type-Options"] == "nosniff" and headers["Cache-Control"] == "no-store"
    policy = headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize("origin", ["https://example.org", "null", "http://127.0.0.1:1", ""])
def test_a_form_of_another_page_is_refused(opened, folder, origin):
    sent = {"corpus": "x", "-start": ""}
    assert opened.ask("form/map", sent, {"Origin": origin})[0] == 403
    assert opened.ask("form/map?corpus=x&-start=")[0] == 200  # an address starts nothing
    assert not (folder / "raven-runs" / ".window").exists()


@pytest.mark.parametrize(
    "name",
    ["../../../secret.txt", "..%2f..%2f..%2fsecret.txt", "link.txt", "//etc/passwd", "", "."],
)
def test_only_what_is_in_the_folder_of_a_report_is_given(opened, name):
    assert opened.ask(f"result/mine/{name}")[0] == 404
    status, headers, text = opened.ask("result/mine/index.html")
    assert (status, text) == (200, "<p>a report</p>")
    assert headers["Content-Security-Policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in headers["Content-Security-Policy"]
    assert opened.ask("result/other/index.html")[0] == 404


@pytest.mark.parametrize("command", COMMANDS)
def test_a_form_has_every_option_of_its_command(opened, command):
    page = Parts(opened.ask(f"form/{command}")[2])
    fields = {tag.get("name") for name in ("input", "textarea") for tag in page.all(name)}
    wanted = options(command).keys() - {"help", "plan", "json"}
    assert fields >= wanted and len(wanted) >= 4
    labelled = {label["for"] for label in page.all("label")}
    ids = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert labelled == {f"o-{name}" for name in wanted} and len(ids) == len({*ids})
    plans = [tag for tag in page.all("button") if tag.get("value") == "yes"]
    assert len(plans) == ("plan" in options(command))
    needed = {name for name in wanted if options(command)[name].required}
    required = {tag["name"] for _, tag in page.tags if "required" in tag}
    assert needed <= required


def test_the_first_screen_leads_to_every_form(opened):
    page = Parts(opened.ask()[2])
    links = [link["href"] for link in page.all("a") if "/form/" in link.get("href", "")]
    assert {link.partition("?")[0].rpartition("/")[2] for link in links} == {*COMMANDS}
    assert len(links) == 9 and {*COMMANDS} <= commands().keys()
    for link in links:
        status, _, text = opened.ask(link)
        first = [tag["value"] for tag in Parts(text).all("input") if tag.get("name") == ".first"]
        command = link.partition("?")[0].rpartition("/")[2]
        assert status == 200 and {*first[0].split()} <= options(command).keys()
        assert text.index(f'id="o-{first[0].split()[0]}"') < text.index("<details")


def test_a_field_becomes_one_word_and_never_an_option_of_its_own():
    given = {
        "obfuscator": "random(rate=0.2)",
        "source": "--json",
        "out": "--plan",
        "every": "yes",
        "known": "a b.txt\r\n-c.txt\r\n",
        "seed": "",
    }
    assert words("obfuscate", given) == [
        "obfuscate",
        "--out=--plan",
        "--all",
        "--known=a b.txt",
        "--known=-c.txt",
        "--",
        "random(rate=0.2)",
        "--json",
    ]
    assert words("evaluate", {"pan_truth": "x"}) == ["evaluate", "-ix"]
    assert words("map", {"corpus": "x", "plan": "yes"}) == ["map", "--plan", "--", "x"]


@pytest.mark.parametrize("name", HOSTILE)
def test_a_chosen_folder_comes_back_as_it_is(opened, folder, name):
    path = folder / os.fsdecode(name)
    values = {".first": "each", "each": "", "known": "kept\nas it is"}
    chooser = opened.ask("form/compare", {**values, "-choose": "each"})[2]
    buttons = Parts(chooser).all("button")
    assert path.as_uri() in [button.get("value") for button in buttons]
    assert "<script>" not in chooser and ".hidden" not in chooser
    assert "nobody may read this" not in chooser
    inner = opened.ask("form/compare", {**values, "-choose": "each", "-go": path.as_uri()})[2]
    assert {"name": "-use", "value": path.as_uri(), "class": "main"} in Parts(inner).all("button")
    text = opened.ask("form/compare", {**values, "-choose": "each", "-use": path.as_uri()})[2]
    (field,) = [tag for tag in Parts(text).all("input") if tag.get("name") == "each"]
    assert folder / original(field["value"]) == path == folder / original(typed(path, folder))
    assert "kept\nas it is" in unescape(text)
    # Back: what the button sends comes after the hidden field of the same name.
    back = opened.ask("form/compare?-choose=each&-choose=&each=before")[2]
    assert 'id="o-each"' in back and 'value="before"' in back


def test_a_folder_that_cannot_be_read_is_named_and_further_paths_are_added(opened, folder):
    gone = (folder / "gone").as_uri()
    page = opened.ask("form/compare", {"known": "", "-choose": "known", "-go": gone})[2]
    assert "Nothing is here that Raven can read." in page
    chosen = {"known": "anne=a", "-choose": "known", "-use": (folder / "secret.txt").as_uri()}
    assert "anne=a\nsecret.txt</textarea>" in opened.ask("form/compare", chosen)[2]


@pytest.mark.parametrize(
    ("given", "told"),
    [(["gone"], "gone: not a directory"), ([".", "--port", "70000"], "65535")],
)
def test_a_window_that_cannot_open_says_why(tmp_path, given, told, need_extra):
    need_extra("uvicorn")
    command = [sys.executable, "-m", "ravenbench", "window", "--no-browser", *given]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and told in " ".join(done.stderr.split())
    assert [*Path(tmp_path).iterdir()] == []


def test_without_its_extra_a_window_says_how_to_install_it(tmp_path):
    code = (
        "import sys; sys.modules['uvicorn'] = None; sys.argv = ['raven', 'window', '--no-browser'];"
        "from ravenbench.__main__ import run; run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2 and "fix: pip install 'ravenbench[window]'" in done.stderr


def test_a_port_that_is_taken_is_named_as_an_error(opened, tmp_path):
    port = opened.host.partition(":")[2]
    command = [sys.executable, "-m", "ravenbench", "window", "--no-browser", "--port", port]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2 and done.stderr.startswith("error: Address already in use")
