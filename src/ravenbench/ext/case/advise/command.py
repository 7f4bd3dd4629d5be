"""Runs ``raven advise``: shows what identifies the author of a text, and on request writes a page or waits for new
versions.

In: options of the command line: an ``AdviseSpec`` with paths of texts, a folder (``out``), whether to wait (``watch``).
Out: an ``Advice``, shown on a terminal, as JSON or as a page; answers are from 0 (two authors) to 1 (one). SpecError if
``--watch`` and ``--json`` are combined. ``offered`` gives the text of the command that rewrites a text.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ravenbench.cli import terminal
from ravenbench.engine.options import Option
from ravenbench.engine.pool import Progress
from ravenbench.engine.task import Ending, Work
from ravenbench.errors import SpecError
from ravenbench.ext.case.advise.spec import AdviseSpec

if TYPE_CHECKING:
    from ravenbench.ext.case.advise.api import Advice
    from ravenbench.ext.case.advise.coach import Coach

POLL = 1.0


class GivenAdvice(Work):
    """Show what identifies you as the author of a text, where, and what a change would gain.

    Raven compares the text with your other texts and with texts by other people (the background, as for raven compare).
    It shows the habits that you and the text share and other people do not, how far each is from theirs, and how far
    verifiers are misled when you remove it. Somebody else may use another verifier.

        raven advise draft.txt --known mine/ --background others/

        raven advise draft.txt --known mine/ --background others/ --out page

        raven advise draft.txt --known mine/ --background others/ --watch
    """

    name = "advise"
    first = "known background out watch"
    Spec = AdviseSpec
    own = (
        Option(
            "out",
            "Folder for a page with all results; by default Raven writes nothing.",
            function=False,
        ),
        Option(
            "watch",
            "Keep watching the file: after each save, show what each change did and what to change "
            "next. Ctrl-C ends.",
            bool,
            function=False,
        ),
    )
    arguments = ("text",)
    positional = ("text", "known", "background")
    spared = ("known", "background")
    result = "Advice"

    @classmethod
    def work(cls, spec: AdviseSpec, progress: Progress) -> Advice:
        from ravenbench.ext.case.advise.api import advise

        return advise(spec, progress)

    @classmethod
    def check(cls, values: Mapping[str, Any], json: bool) -> None:
        if values["watch"] and json:
            raise SpecError(
                "--watch and --json cannot be combined", fix="leave out --json or --watch"
            )

    @classmethod
    def ending(cls, values: Mapping[str, Any], progress: Progress) -> Ending:
        from ravenbench.ext.case.advise.coach import Coach
        from ravenbench.ext.case.advise.report import AdviceView, finding, tables, to_json
        from ravenbench.outputs import check_folder
        from ravenbench.reports.view import for_terminal

        given = {"known": (), "background": "", **values, "progress": progress}
        out = given.pop("out", None)
        watch = given.pop("watch")
        text, known, background = (given[name] for name in cls.positional)
        if out is not None:
            check_folder(
                out, inputs=[text, *known, *([background] if background else ())], kind="advise"
            )
        advice = cls.call(given)
        page = None if out is None else AdviceView(advice).write(out)
        lines = [f"report: {page}"] if page else []
        offer = (
            [offered(text, known, background or None)]
            if advice.stands_out or advice.mean > 0.5
            else []
        )
        return Ending(
            {**to_json(advice), **({} if page is None else {"page": str(page)})},
            [
                finding(advice),
                *(for_terminal(table) for table in tables(advice)),
                *lines,
                *advice.notes,
                *offer,
            ],
            after=((lambda: _watch(text, Coach(advice), given.get("encoding"))) if watch else None),
        )


def offered(text: str, known: Sequence[str], background: str | None) -> str:
    """Return the command that rewrites the text by safe edits, or the one that lists recipes if this recipe is not
    installed."""
    from ravenbench import registry

    if "raven-hide" not in registry.names("obfuscator"):
        return "raven list obfuscators lists programs that rewrite a text"
    folder = background if background is not None and Path(background).is_dir() else None
    recipe = "raven-hide" if folder is None else f"raven-hide(background={folder!r})"
    quoted = shlex.quote(recipe) if set(recipe) & set('"$`!\\') else f'"{recipe}"'
    others = " ".join(f"--known {shlex.quote(one)}" for one in known)
    hidden = shlex.quote(str(Path(text).with_name(f"{Path(text).stem}-hidden.txt")))
    return (
        f"to let Raven rewrite it: raven obfuscate {quoted} {shlex.quote(text)} {others} --out"
        f" {hidden}"
    )


def _watch(path: str, coach: Coach, encoding: str | None) -> None:
    """What each version that is saved changed, and what to do next, until nothing more is to be had or Ctrl-C."""
    import time

    from ravenbench.cli.show import print_parts, say
    from ravenbench.errors import InputError
    from ravenbench.ext.case.advise.api import read_version

    shown = ""
    try:
        print_parts(coach.next())
        while not coach.done:
            say(f"waiting for {path} to be saved; Ctrl-C ends")
            version = coach.advice.text
            while version == coach.advice.text:
                time.sleep(POLL)
                try:
                    version = read_version(path, encoding)
                except InputError as error:
                    # Editors empty a file before they write it; the same complaint is made once.
                    if str(error) != shown:
                        say(shown := str(error), fg="yellow", err=True)
            print_parts(coach.look(version))
            shown = ""
    except KeyboardInterrupt:
        # Ctrl-C is how watching ends; other signals are obeyed as everywhere.
        if terminal.farewell() != terminal.INTERRUPTED:
            raise
        say("")
