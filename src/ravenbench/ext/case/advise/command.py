"""``raven advise``: what gives this text away, and what changing it would gain."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ravenbench.cli import terminal
from ravenbench.engine.options import options_of
from ravenbench.ext.case.compare.spec import CompareSpec

if TYPE_CHECKING:
    from ravenbench.ext.case.advise.api import Judge

POLL = 1.0
OPTIONS = options_of(CompareSpec)


def command(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The text that is to be hidden: a UTF-8 .txt file.")],
    known: Annotated[
        list[str] | None, typer.Option(help="Your other texts: a .txt file or a folder of them; may be repeated.")
    ] = None,
    background: Annotated[str | None, typer.Option(help=OPTIONS["background"].help)] = None,
    verifiers: Annotated[
        str | None, typer.Option(help="Verifiers to use. Default char-ngram, ppm, function-words.")
    ] = None,
    column: Annotated[str | None, typer.Option("--text", metavar="COLUMN", help=OPTIONS["text"].help)] = None,
    author: Annotated[str | None, typer.Option(metavar="COLUMN", help=OPTIONS["author"].help)] = None,
    topic: Annotated[str | None, typer.Option(metavar="COLUMN", help=OPTIONS["topic"].help)] = None,
    encoding: Annotated[str | None, typer.Option(help=OPTIONS["encoding"].help)] = None,
    seed: Annotated[int | None, typer.Option(help=OPTIONS["seed"].help)] = None,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="Folder of a page with all of it; without it nothing is written."),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Then wait: each time the file is saved, show the new answers. Ctrl-C ends.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object on stdout.")] = False,
) -> None:
    """What gives this text away, where in it, and what changing it would gain.

    The text is compared with your other texts and with texts by other people (the background, as for raven compare):
    shown are the habits that you and the text share and the others have not, how far each is from them, and how far
    verifiers are misled when it is taken out. A verifier that is misled here may not be the one that is asked later.

        raven advise draft.txt --known mine/ --background others/

        raven advise draft.txt --known mine/ --background others/ --out page

        raven advise draft.txt --known mine/ --background others/ --watch
    """
    from ravenbench.cli.show import print_json, print_parts, progress_bar, say
    from ravenbench.errors import SpecError
    from ravenbench.ext.case.advise.api import advise
    from ravenbench.ext.case.advise.report import AdviceView, finding, tables, to_json
    from ravenbench.formats.output import check_folder
    from ravenbench.reports.view import for_terminal

    if watch and json:
        raise SpecError("--watch shows answers as they come", fix="leave --json or --watch out")
    if out is not None:
        check_folder(out, inputs=[text, *(known or ()), *([background] if background else ())], kind="advise")
    with progress_bar() as progress:
        advice = advise(
            text, known or (), background or "", verifiers=verifiers, column=column, author=author, topic=topic,
            encoding=encoding, seed=seed, progress=progress,
        )  # fmt: skip
    page = None if out is None else AdviceView(advice).write(out)
    if json:
        print_json({**to_json(advice), **({} if page is None else {"page": str(page)})})
        return
    print_parts([finding(advice), *(for_terminal(table) for table in tables(advice))], page)
    for note in advice.notes:
        say(note)
    if advice.stands_out or advice.mean > 0.5:
        say(offered(text, known or (), background))
    if watch:
        _watch(text, advice.text, advice.judge, encoding)


def offered(text: str, known: Sequence[str], background: str | None) -> str:
    """The command that rewrites the text by safe edits; without the recipe, the one that lists recipes."""
    from ravenbench import registry

    if "raven-hide" not in registry.names("obfuscator"):
        return "raven list obfuscators shows what rewrites a text"
    folder = background if background is not None and Path(background).is_dir() else None
    recipe = "raven-hide" if folder is None else f"raven-hide(background={folder!r})"
    others = " ".join(f"--known {shlex.quote(one)}" for one in known)
    hidden = Path(text).with_name(f"{Path(text).stem}-hidden.txt")
    return f"to have it rewritten: raven obfuscate {shlex.quote(recipe)} {shlex.quote(text)} {others} --out {hidden}"


def _watch(path: str, first: str, judge: Judge, encoding: str | None) -> None:
    """Answers to each version that is saved, until Ctrl-C."""
    import time

    from ravenbench.cli.show import say
    from ravenbench.errors import InputError
    from ravenbench.ext.case.advise.api import read_version
    from ravenbench.ext.case.advise.report import changes, summary

    say(f"waiting for {path} to be saved; Ctrl-C ends")
    last, shown = first, ""
    before = {name: values[0] for name, values in judge.answers([first]).items()}
    try:
        while True:
            time.sleep(POLL)
            try:
                now = read_version(path, encoding)
            except InputError as error:
                # Editors empty a file before they write it; the same complaint is made once.
                if str(error) != shown:
                    say(shown := str(error), fg="yellow", err=True)
                continue
            if now == last:
                continue
            after = {name: values[0] for name, values in judge.answers([now]).items()}
            for line in [*changes(last, now), *summary(before, after)]:
                say(line)
            last, before, shown = now, after, ""
    except KeyboardInterrupt:
        # Ctrl-C is how watching ends; SIGTERM is obeyed as everywhere.
        if terminal.farewell() == terminal.TERMINATED:
            raise
        say("")
