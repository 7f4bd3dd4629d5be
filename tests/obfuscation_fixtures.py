"""What the tests of recipes share: resources with a cache that lasts the session and a fake server."""

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest


@pytest.fixture(scope="session")
def cache_home(tmp_path_factory):
    return tmp_path_factory.mktemp("raven-cache")


@pytest.fixture(autouse=True)
def own_cache(cache_home, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(cache_home))


@pytest.fixture
def empty_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("RAVEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def resources(nltk_home):
    """WordNet, Brown and the tagger, or a visible skip."""
    pytest.importorskip("nltk")
    return nltk_home


def forget_words():
    """What was read from NLTK's data in this process is read anew."""
    for name, module in list(sys.modules.items()):
        if name.startswith(("ravenbench.obfuscation.", "ravenbench.text.nltk_data")):
            for value in list(vars(module).values()):
                if hasattr(value, "cache_clear"):
                    value.cache_clear()


@pytest.fixture
def no_resources(monkeypatch):
    """As on a machine without NLTK data."""
    from ravenbench.errors import MissingPart
    from ravenbench.text import nltk_data

    def absent(resource, folders=""):
        fix = f"python -m nltk.downloader {resource}"
        return None, MissingPart(f"the resource {resource} is not installed", fix=fix)

    forget_words()
    monkeypatch.setattr(nltk_data, "_look", absent)
    yield
    forget_words()


class Server:
    """Answers each POST with the next of ``answers`` (the last repeats) and keeps what was asked."""

    def __init__(self):
        self.answers, self.asked, self.headers = [], [], []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append((self.path, body))
                outer.headers.append(dict(self.headers))
                answer = outer.answers[0] if len(outer.answers) == 1 else outer.answers.pop(0)
                status, content = answer(body) if callable(answer) else answer
                data = (
                    content.encode() if isinstance(content, str) else json.dumps(content).encode()
                )
                try:
                    self.send_response(status)
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    pass  # the client gave up, as the timeout test wants

            def log_message(self, *args):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def server():
    found = Server()
    yield found
    found.http.shutdown()
    found.http.server_close()
