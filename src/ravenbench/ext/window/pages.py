"""Serves the pages of a window: the first screen, forms with a chooser of files, jobs, and pages that commands wrote.

In: the folder in which commands work, and a token (text), the first part of every address.
Out: ``Window.application``: an ASGI application. It answers 404 to an address without the token and to a request by
another name than this machine's, and 403 to a form of another page. Of files, it gives only pages that Raven wrote,
and what is in their folders.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ravenbench.errors import visible
from ravenbench.ext.window.forms import COMMANDS, options, original, typed, words
from ravenbench.ext.window.jobs import Job, jobs_of, start
from ravenbench.outputs import MARK

HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self';"
        " img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    # With no-referrer a browser would not say which page a form is from. No other site is told of these pages.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}
OF_RESULTS = {
    "Content-Security-Policy": (
        "sandbox allow-scripts allow-downloads; connect-src 'none'; form-action 'none';"
        " frame-ancestors 'none'"
    ),
    "Referrer-Policy": "no-referrer",
}
"""A page that a command wrote is a stranger to the window: it can neither read nor operate the window's pages."""


class Window:
    """The pages of one window."""

    def __init__(self, folder: Path, token: str) -> None:
        self.folder = folder
        self.token = token
        self.templates = Environment(
            loader=PackageLoader("ravenbench.ext.window"), autoescape=True
        )
        self.templates.filters["visible"] = visible

    def application(self) -> Starlette:
        """Return what a server runs."""
        styles = [("ravenbench.reports", "templates"), ("ravenbench.ext.window", "templates")]
        both = ["GET", "POST"]
        routes = [
            Route("/", self.home),
            Route("/form/{command}", self.form, methods=both),
            Route("/job/{id}", self.job, methods=both),
            Route("/events/{id}", self.events),
            Route("/result/{id}/{name:path}", self.result),
            Mount("/own", StaticFiles(packages=[*styles])),
        ]
        return Starlette(
            routes=[Mount(f"/{self.token}", routes=routes)],
            middleware=[Middleware(BaseHTTPMiddleware, dispatch=self.guard)],
            exception_handlers={404: lambda *_: Response(status_code=404)},
        )

    async def guard(
        self, request: Request, answer: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        """Answer only to this machine's names; take forms only from the window itself."""
        _, port = request.scope["server"]
        host = request.headers.get("host")
        if host not in (f"127.0.0.1:{port}", f"localhost:{port}"):
            response = Response(status_code=404)
        elif request.method == "POST" and request.headers.get("origin") != f"http://{host}":
            response = Response(status_code=403)
        else:
            response = await answer(request)
        for header, value in HEADERS.items():
            response.headers.setdefault(header, value)
        return response

    def page(self, template: str, **context: object) -> Response:
        """Return a page of the window."""
        now = time.strftime("%Y-%m-%d-%H%M%S")
        made = self.templates.get_template(template)
        text = made.render(base=f"/{self.token}", folder=self.folder, now=now, **context)
        return HTMLResponse(text)

    def runs(self) -> dict[str, Path]:
        """The reports of runs in the folder, by name."""
        marks = self.folder.glob(f"raven-runs/*/report/{MARK}")
        return {mark.parents[1].name: mark for mark in marks}

    def found(self, request: Request) -> Job:
        """Return the job of an address."""
        job = jobs_of(self.folder).get(request.path_params["id"])
        if job is None:
            raise HTTPException(404)
        return job

    def opened(self, id: str) -> Response:
        """Lead to a job, and from there to its page as soon as there is one."""
        return RedirectResponse(f"/{self.token}/job/{id}?open", 303)

    async def home(self, request: Request) -> Response:
        """The first screen: questions, jobs, and runs that are finished."""
        return self.page("home.html.j2", jobs=jobs_of(self.folder), runs=self.runs())

    async def form(self, request: Request) -> Response:
        """A form: shown, with a chooser of files, or sent."""
        command = request.path_params["command"]
        if command not in COMMANDS:
            raise HTTPException(404)
        body = (await request.body()).decode()
        sent = dict(parse_qsl(body or request.url.query, keep_blank_values=True))
        values = {name: value for name, value in sent.items() if not name.startswith("-")}
        target = sent.get("-choose")
        shown = {"command": command, "values": values, "target": target}
        if "-start" in sent and body:
            first, *others = words(command, values)
            plan = ["--plan"] if sent["-start"] == "plan" else []
            return self.opened(start(self.folder, [first, *plan, *others], values))
        if target and "-use" in sent:
            chosen = typed(Path(original(sent["-use"])), self.folder)
            earlier = values[target] if options(command)[target].is_many else ""
            values[target] = f"{earlier}\n{chosen}".lstrip()
        elif target:
            at = Path(original(sent.get("-go") or self.folder.as_uri()))
            return self.page("choose.html.j2", at=at, **names_in(at), home=Path.home(), **shown)
        return self.page("form.html.j2", options=options(command), **shown)

    async def job(self, request: Request) -> Response:
        """A job, or with ``open`` its page if there is one; cancelled, or started again without ``--plan``."""
        job = self.found(request)
        body = await request.body()
        if body == b"act=cancel":
            job.cancel()
        elif body:
            again = [word for word in job.words if word != "--plan"]
            return self.opened(start(self.folder, again, job.values))
        state = job.state
        page = job.page()
        address = page and f"/{self.token}/result/{job.place.name}/{quote(page.name)}"
        if address and request.url.query == "open":
            return RedirectResponse(address, 303)
        return self.page("job.html.j2", job=job, state=state, address=address)

    async def events(self, request: Request) -> Response:
        """What a job prints from now on, as server-sent events; their ids are bytes, from which a browser goes on."""
        begin = request.headers.get("last-event-id") or request.url.query
        printed = _printed(self.found(request), int(begin))
        return StreamingResponse(printed, media_type="text/event-stream")

    async def result(self, request: Request) -> Response:
        """A file of the page that a job wrote, or of the report of a run."""
        page = self.runs().get(request.path_params["id"]) or self.found(request).page()
        if page is None:
            raise HTTPException(404)
        inner = StaticFiles(directory=page.parent)
        response = await inner.get_response(request.path_params["name"], request.scope)
        response.headers.update(OF_RESULTS)
        return response


def names_in(folder: Path) -> dict[str, Any]:
    """The folders and files in a folder, or the problem of reading it."""
    try:
        inner = sorted(folder.iterdir(), key=lambda path: (not path.is_dir(), path))
    except OSError as error:
        return {"inner": [], "problem": error.strerror}
    return {"inner": inner, "problem": ""}


async def _printed(job: Job, begin: int) -> AsyncIterator[str]:
    while True:
        ended = job.state != "running"
        with job.log.open("rb") as file:
            file.seek(begin)
            block = file.read()
        begin += len(block)
        if block:
            yield f"id: {begin}\ndata: {json.dumps(visible(block.decode(errors='replace')))}\n\n"
        elif ended:
            yield "event: end\ndata:\n\n"
            return
        await asyncio.sleep(0.3)
