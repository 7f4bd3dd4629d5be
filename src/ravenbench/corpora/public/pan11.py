"""PAN 2011 authorship attribution: Enron e-mails in XML files, with the truth of the tests in others."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from ravenbench.corpora.public.base import Found, PublicCorpus, text_of
from ravenbench.formats.archive import Archive

# Not every file is well-formed XML: some have bare ampersands.
_TEXT = re.compile(
    r'<text\s+file="([^"]*)"\s*>\s*(?:<author\s+id="([^"]*)"\s*(?:/>|>\s*</author>)\s*)?'
    r"(?:<body>(.*?)</body>\s*)?</text>",
    re.DOTALL,
)


@dataclass(eq=False, repr=False)
class Pan11(PublicCorpus):
    """PAN 2011 authorship attribution: e-mails of the small and the large task, and of the verification tasks.

    Column ``part`` is the file a text stands in (LargeTrain, SmallTest …); the author of a tested text comes from the
    file GroundTruth… of the same name, and tested texts without truth are left alone. Documents have no topic.

    Parameters
    ----------
    path : str
        The folder or zip with LargeTrain.xml and so on.

    References
    ----------
    Argamon & Juola 2011, Overview of the international authorship identification competition at PAN-2011.
    """

    name = "pan11"
    layout = 'LargeTrain.xml: <text file="…"><author id="…"/><body>…</body></text>'

    def found(self, archive: Archive, counted: Counter[str]) -> Iterator[Found]:
        parts: dict[str, list[tuple[str, str, str | None]]] = {}
        truth: dict[str, dict[str, str]] = {}
        for name in archive.names:
            stem = PurePosixPath(name).stem
            if not name.lower().endswith(".xml"):
                counted["other files"] += 1
                continue
            entries = _TEXT.findall(text_of(archive, name, counted) or "")
            if stem.lower().startswith("groundtruth"):
                truth[stem[len("groundtruth") :].lower()] = {file: author for file, author, _ in entries}
            else:
                parts[stem] = [(file, body, author or None) for file, author, body in entries]
        for part, texts in parts.items():
            known = truth.get(part.lower(), {})
            for file, body, named in texts:
                author = named or known.get(file)
                text = html.unescape(body).strip()
                if author is None or not text:
                    counted["texts without an author" if author is None else "empty"] += 1
                    continue
                yield Found(f"{part}/{file}", text, author, None, {"part": part})
