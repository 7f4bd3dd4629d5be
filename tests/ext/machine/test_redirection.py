"""A text goes to the address that was given, and nowhere else."""

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from ravenbench.ext.machine.llm import Endpoint


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        reply = b'{"matches": [{}, {}]}'
        status = 200
        location = ""

        def do_POST(self):
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(self.status)
            if self.location:
                self.send_header("Location", self.location)
            self.end_headers()
            self.wfile.write(self.reply)

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, args=(0.02,), daemon=True).start()
    yield Handler, f"http://127.0.0.1:{running.server_port}"
    running.shutdown()


def test_a_text_is_not_sent_where_a_server_points(server):
    handler, url = server
    asked = []

    class Elsewhere(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"matches": []}')

        def log_message(self, *_):
            pass

    other = HTTPServer(("127.0.0.1", 0), Elsewhere)
    threading.Thread(target=other.serve_forever, args=(0.02,), daemon=True).start()
    handler.status, handler.location = 302, f"http://127.0.0.1:{other.server_port}/there"
    with Endpoint(url, timeout=30, retries=0) as endpoint:
        assert endpoint.post("/chat/completions", {"text": "A text."}) is None and endpoint.last == "status 302"
    other.shutdown()
    assert asked == []
