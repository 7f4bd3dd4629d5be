"""Serves the pages of a window: the first screen, forms with a chooser of files, jobs, and pages that commands wrote.

In: the folder in which commands work, and a token (text), the first part of every address.
Out: ``Window.application``: an ASGI application. It answers 404 to an address without the token and to a request by
another name than this machine's, and 403 to a form of another page. Of files, it gives only pages that Raven wrote,
and what is in their folders.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from urllib.parse import parse_qsl, quote

from jinja2 import Environment, PackageLoader
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.base import BaseHTTPMiddleware, RequestResponseEndpoint
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from ravenbench.errors import InputError, visible
from ravenbench.ext.window.forms import COMMANDS, options, original, typed, words
from ravenbench.ext.window.jobs import MOST_OUTPUT, Job, jobs_of, start
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
        self.is_closing: Callable[[], bool] = bool
        self.templates = Environment(loader=PackageLoader("ravenbench.ext.window"), autoescape=True)
        self.templates.filters["visible"] = visible

    def application(self) -> Starlette:
        """Return what a server runs."""
        styles = StaticFiles(
            packages=[("ravenbench.reports", "templates"), ("ravenbench.ext.window", "templates")]
        )
        both = ["GET", "POST"]
        routes = [
            Route("/", self.home),
            Route("/form/{command}", self.form, methods=both),
            Route("/job/{id}", self.job, methods=both),
            Route("/events/{id}", self.events),
            Route("/result/{id}/{name:path}", self.result),
            Mount("/own", styles),
        ]
        return Starlette(
            routes=[Mount(f"/{self.token}", routes=routes)],
            middleware=[Middleware(BaseHTTPMiddleware, dispatch=self.guard)],
            exception_handlers={
                404: lambda *_: Response(status_code=404),
                OSError: self.failed,
                ValueError: self.failed,
                InputError: self.failed,
            },
        )

    async def guard(self, request: Request, answer: RequestResponseEndpoint) -> Response:
        """Answer only to this machine's names; take forms only from the window itself."""
        port = request.scope["server"][1]
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

    def failed(self, _: Request, error: Exception) -> Response:
        """Return a page that says why nothing was done, as in a folder that is full or was removed."""
        return self.page("failed.html.j2", 500, error=error)

    def page(self, template: str, status: int = 200, **context: object) -> Response:
        """Return a page of the window."""
        now = time.strftime("%Y-%m-%d-%H%M%S")
        made = self.templates.get_template(template)
        text = made.render(base=f"/{self.token}", folder=self.folder, now=now, **context)
        return HTMLResponse(text, status)

    def job_of(self, request: Request) -> Job:
        """Return the job of an address."""
        job = jobs_of(self.folder).get(request.path_params["id"])
        if job is None or not job.words:
            raise HTTPException(404)
        return job

    def started(self, words: list[str], values: dict[str, str]) -> Response:
        """Start a command; lead to its job, and from there to its page as soon as there is one."""
        id = start(self.folder, words, values)
        return RedirectResponse(f"/{self.token}/job/{id}?open", 303)

    async def home(self, request: Request) -> Response:
        """The first screen: questions, jobs, and runs that are finished."""
        return self.page("home.html.j2", jobs=jobs_of(self.folder))

    async def form(self, request: Request) -> Response:
        """A form: shown, with a chooser of files, or sent."""
        command = request.path_params["command"]
        if command not in COMMANDS:
            raise HTTPException(404)
        body = (await request.body()).decode()
        values = dict(parse_qsl(body or request.url.query, keep_blank_values=True))
        # Names of buttons begin with -, names of options do not.
        target = values.get("-choose")
        shown = {"command": command, "values": values, "target": target}
        if body and "-start" in values:
            return self.started(words(command, {**values, "plan": values["-start"]}), values)
        if target and "-use" in values:
            chosen = typed(Path(original(values["-use"])), self.folder)
            earlier = values[target] if options(command)[target].is_many else ""
            values[target] = f"{earlier}\n{chosen}".lstrip()
        elif target:
            at = Path(original(values.get("-go") or self.folder.as_uri()))
            inner = at.iterdir() if os.access(at, os.R_OK | os.X_OK) else []
            ordered = sorted(inner, key=lambda path: (not path.is_dir(), path))
            return self.page("choose.html.j2", at=at, inner=ordered, home=Path.home(), **shown)
        return self.page("form.html.j2", options=options(command), **shown)

    async def job(self, request: Request) -> Response:
        """A job, or with ``open`` its page if there is one; cancelled, or started again without ``--plan``."""
        job = self.job_of(request)
        body = await request.body()
        if body == b"act=cancel":
            job.cancel()
        elif body:
            again = [word for word in job.words if word != "--plan"]
            return self.started(again, job.values)
        page = job.page()
        if page and request.url.query == "open":
            return RedirectResponse(
                f"/{self.token}/result/{job.place.name}/{quote(page.name)}", 303
            )
        return self.page("job.html.j2", job=job)

    async def events(self, request: Request) -> Response:
        """What a job prints from now on, as server-sent events; their ids are bytes, from which a browser goes on."""
        begin = request.headers.get("last-event-id") or request.url.query
        return StreamingResponse(
            self.printed(self.job_of(request), int(begin)), media_type="text/event-stream"
        )

    async def printed(self, job: Job, begin: int) -> AsyncIterator[str]:
        """What a job prints, until it ends or the window closes: a stream that is open would keep it open."""
        while not self.is_closing():
            ended = job.state != "running"
            with job.log.open("rb") as file:
                begin = file.seek(max(begin, job.log.stat().st_size - MOST_OUTPUT))
                block = file.read()
            if block:
                begin += len(block)
                text = visible(block.decode(errors="replace"))
                yield f"id: {begin}\ndata: {json.dumps(text)}\n\n"
            elif ended:
                yield "event: end\ndata:\n\n"
                return
            await asyncio.sleep(0.3)

    async def result(self, request: Request) -> Response:
        """A file of the page that a job wrote, or of the report of a run."""
        mark = self.folder / "raven-runs" / request.path_params["id"] / "report" / MARK
        page = mark if mark.exists() else self.job_of(request).page()
        if page is None:
            raise HTTPException(404)
        inner = StaticFiles(directory=page.parent)
        response = await inner.get_response(request.path_params["name"], request.scope)
        response.headers.update(OF_RESULTS)
        return response
