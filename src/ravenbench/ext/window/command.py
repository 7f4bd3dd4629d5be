"""Runs ``raven window``: opens a page in the browser, on this machine only, until Ctrl-C.

In: options of the command line: the folder in which commands work, a port, whether the browser opens.
Out: the address on the terminal, then pages at that address; files of jobs in ``raven-runs/.window`` of the folder.
InputError if the folder cannot be used, OSError if the port cannot; MissingPart without the extra ``window``.
"""

from __future__ import annotations

import secrets
import socket
import webbrowser
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from ravenbench.errors import InputError, MissingPart, install


def window(
    place: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Folder in which Raven works; default: the current folder."
        ),
    ] = Path(),
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="Port of this machine; 0 is any free one.")
    ] = 0,
    browser: Annotated[bool, typer.Option(help="Whether the browser opens.")] = True,
) -> None:
    """Work with Raven in the browser: choose a question, files and options; see the plan, the progress and the page.

    Only this machine, and only somebody who knows the whole address, can open the pages. Each job is an ordinary
    command of Raven: it continues if you close the browser or the window, and the next window of the folder shows it.

        raven window

        raven window my-class --no-browser
    """
    from ravenbench.cli.show import say

    try:
        import uvicorn

        from ravenbench.ext.window.pages import Window
    except ImportError:
        raise MissingPart(
            "raven window needs starlette and uvicorn, which are not installed",
            fix=install("window"),
        ) from None
    if not place.is_dir():
        raise InputError("not a directory", file=place, fix="give a folder that exists")
    token = secrets.token_urlsafe()
    pages = Window(place.resolve(), token)
    listening = socket.create_server(("127.0.0.1", port))
    address = f"http://127.0.0.1:{listening.getsockname()[1]}/{token}/"
    say(
        f"Raven's window: {address}\n"
        "Ctrl-C closes it. Jobs then continue, and the next window of this folder shows them."
    )
    if browser:
        # A browser in the terminal would keep the server waiting.
        Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    server = uvicorn.Server(
        uvicorn.Config(pages.application(), log_level="warning", timeout_graceful_shutdown=1)
    )
    pages.is_closing = lambda: server.should_exit
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
