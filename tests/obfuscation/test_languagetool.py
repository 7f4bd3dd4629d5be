"""LanguageTool over HTTP: matches are counted; silence, HTML and refusals are *not measured*."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ravenbench.errors import SpecError
from ravenbench.obfuscation.measures.sensibleness import Sensibleness
from ravenbench.services.languagetool import LanguageTool


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        reply = b'{"matches": [{}, {}]}'
        status = 200

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(self.status)
            self.end_headers()
            self.wfile.write(self.reply)

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield Handler, f"http://127.0.0.1:{running.server_port}"
    running.shutdown()


def test_matches_per_1000_words(server):
    _, url = server
    assert LanguageTool(url)("They was here.") == 2
    found = Sensibleness(LanguageTool(url)).of("They was here today.")
    assert found["languagetool"] == 500


@pytest.mark.parametrize(("status", "reply"), [(200, b"<html>"), (200, b"[1]"), (500, b""), (200, b'{"matches": [')])
def test_other_answers_are_not_measured(server, status, reply):
    handler, url = server
    handler.status, handler.reply = status, reply
    with pytest.raises(OSError, match="LanguageTool"):
        LanguageTool(url)("A text.")
    sense = Sensibleness(LanguageTool(url))
    assert sense.of("A text.")["languagetool"] is None
    assert "LanguageTool" in sense.missing["languagetool"]


def test_addresses_are_checked():
    with pytest.raises(SpecError, match="not the address"):
        LanguageTool("file:///etc/passwd")
    assert Sensibleness(LanguageTool("http://127.0.0.1:9", timeout=0.5)).of("A text.")["languagetool"] is None
