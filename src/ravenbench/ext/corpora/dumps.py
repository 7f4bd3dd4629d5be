"""Readers for large public collections of one record a line: benchmarks, reviews, forums, books.

All are read line by line, packed or not, so that a file of gigabytes needs no more memory than its documents' labels.
None of these collections was at hand: the readers follow what their publishers say of the files, each named below, and
are tested on made files of that form.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Any, ClassVar
from xml.etree import ElementTree

from ravenbench.errors import FormatError, writable
from ravenbench.ext.corpora.public import CollectionText, PublicCorpus
from ravenbench.formats.archive import Archive
from ravenbench.formats.tabular import records
from ravenbench.text.copies import unescaped
from ravenbench.text.mail import without_quotations

_PACKED = r"(\.(gz|zst))?"


@dataclass(eq=False, repr=False)
class Dump(PublicCorpus):
    """Base of collections of records; those without enough words of an author's own are counted and left out."""

    least: int = 1

    def usable(self, text: Any, counted: Counter[str]) -> str | None:
        """A record's text without what cannot be kept, or None, which is counted."""
        text = text.replace("\0", "").strip() if isinstance(text, str) else ""
        reason = "not valid Unicode" if not writable(text) else f"of fewer than {self.least} words"
        if len(text.split()) >= max(self.least, 1) and writable(text):
            return str(text)
        counted[reason] += 1
        return None

    def lines(self, archive: Archive, name: str, needed: tuple[str, ...]) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Records of a file; FormatError for one that lacks a field of each of ``needed`` (a|b: either will do)."""
        for line, record in records(archive, name):
            if lacking := [one for one in needed if not any(key in record for key in one.split("|"))]:
                here, field = ", ".join(sorted(map(str, record))[:12]), lacking[0].replace("|", " or ")
                raise FormatError(
                    f"this record is none of {self.name}", file=archive.label(name), line=line, found=here,
                    expected=f"a field {field}",
                )  # fmt: skip
            yield line, record


def _day(seconds: Any) -> str | None:
    """The day of a time stamp in seconds or milliseconds."""
    try:
        moment = float(seconds)
        return datetime.fromtimestamp(moment / 1000 if moment > 1e11 else moment, UTC).date().isoformat()
    except (TypeError, ValueError, OverflowError, OSError):
        return None


def _name(value: Any) -> str | None:
    return str(value).strip() or None if isinstance(value, str | int | float) else None


@dataclass(eq=False, repr=False)
class AuthBench(Dump):
    """AuthBench: documents in ten languages and many genres, as queries and candidates of a retrieval benchmark.

    Documents have no topic; columns ``genre``, ``source``, ``role`` (query or candidate) and ``part`` (train, dev,
    test) are the collection's. ``raven retrieve`` reads the files themselves; here they are a corpus.

    Parameters
    ----------
    path : str
        The folder, or one of its parts, with candidates.jsonl, queries.jsonl and ground_truth.jsonl.
    language : str
        Only documents in this language.
    least : int
        Words that a document needs.

    References
    ----------
    The dataset's card (Hugging Face, MaoXun/AuthBench), from which the counts are.
    """

    name = "authbench"
    layout = "test/candidates.jsonl, test/queries.jsonl and test/ground_truth.jsonl, and so for train and dev"
    documents = 428_150
    authors = 153_825
    language: str = ""  # type: ignore[misc]

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        author_of: dict[str, str] = {}
        files = [*self.matched(archive, counted, rf"(candidates|queries|ground_truth)\.jsonl{_PACKED}")]
        for name in (name for name, match in files if match[1].lower() == "ground_truth"):
            for _, row in self.lines(archive, name, ("query_id", "author_id")):
                author_of[f"{PurePosixPath(name).parent}/{row['query_id']}"] = str(row["author_id"])
        for name, match in files:
            role = {"candidates": "candidate", "queries": "query"}.get(match[1].lower())
            if role is None:
                continue
            place = PurePosixPath(name).parent
            for _, row in self.lines(archive, name, (f"{role}_id", "content")):
                key, language = f"{place}/{row[f'{role}_id']}", _name(row.get("lang"))
                author = _name(row.get("author_id")) or author_of.get(key)
                if author is None or (self.language and language != self.language):
                    counted["queries without truth" if author is None else "in other languages"] += 1
                elif (text := self.usable(row["content"], counted)) is not None:
                    columns = {"genre": _name(row.get("genre")), "source": _name(row.get("source")), "role": role}
                    part = place.name or None
                    yield CollectionText(
                        f"{key}/{role}".removeprefix("./"), text, author, None, {**columns, "part": part}, language
                    )


@dataclass(eq=False, repr=False)
class AmazonReviews(Dump):
    """Amazon product reviews, as published in 2014, 2018 and 2023: a file for each category.

    The topic is the category, which is the file's name; columns ``item``, ``rating`` and ``date`` are the review's.

    Parameters
    ----------
    path : str
        A folder of files such as Video_Games.jsonl.gz or reviews_Video_Games_5.json.gz, or one of them.
    least : int
        Words that a review needs.

    References
    ----------
    Ni, Li & McAuley 2019, Justifying recommendations using distantly-labeled reviews and fine-grained aspects.
    """

    name = "amazon-reviews"
    layout = "Video_Games.json.gz: reviewerID, asin and reviewText in a line (2023: user_id, parent_asin and text)"

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for name, _ in self.matched(archive, counted, rf"(?!meta_).*\.jsonl?{_PACKED}"):
            stem = PurePosixPath(name).name.partition(".")[0]
            category = re.sub(r"^reviews_|_5$", "", stem)
            for line, row in self.lines(archive, name, ("reviewerID|user_id", "asin|parent_asin")):
                author = _name(row.get("reviewerID", row.get("user_id")))
                text = self.usable(unescaped(str(row.get("reviewText", row.get("text")) or "")), counted)
                if text is not None and author is not None:
                    item = _name(row.get("parent_asin", row.get("asin")))
                    day = _day(row.get("unixReviewTime", row.get("timestamp")))
                    rating = _name(row.get("overall", row.get("rating")))
                    yield CollectionText(
                        f"{stem}/{line}", text, author, category, {"item": item, "rating": rating, "date": day}
                    )


_GONE = {"", "[deleted]", "[removed]", "AutoModerator"}


@dataclass(eq=False, repr=False)
class Reddit(Dump):
    """Reddit, as Pushshift and its successors publish it: comments (RC_…) and submissions (RS_…) of a month or a forum.

    The topic is the subreddit; columns ``date`` and ``kind`` (comment or submission). Deleted texts and accounts and
    AutoModerator are left out, and so are quotations: lines that begin with ``>``.

    Parameters
    ----------
    path : str
        A folder of files such as RC_2015-01.zst or Python_comments.zst, or one of them; jsonl, .gz and .zst.
    subreddits : str
        Only these, with commas between.
    least : int
        Words that a text needs.

    References
    ----------
    Baumgartner, Zannettou, Keegan, Squire & Blackburn 2020, The Pushshift Reddit dataset.
    """

    name = "reddit"
    language: ClassVar[str | None] = None
    layout = "RC_2015-01.zst: author, body, subreddit and id in a line (RS_…: selftext and title in place of body)"

    subreddits: str = ""
    least: int = 10

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        wanted = {name.strip().lower() for name in self.subreddits.split(",") if name.strip()}
        for name, _ in self.matched(archive, counted, r".*\.(json|jsonl|ndjson|gz|zst)"):
            for _, row in self.lines(archive, name, ("author", "subreddit", "id", "body|selftext")):
                kind, forum = ("comment" if "body" in row else "submission"), _name(row["subreddit"])
                text, author = row.get("body", row.get("selftext")), _name(row["author"]) or ""
                if wanted and str(forum).lower() not in wanted:
                    counted["in other subreddits"] += 1
                elif not isinstance(text, str):
                    counted["whose text is no text"] += 1
                elif author in _GONE or text in _GONE:
                    counted["deleted, or by AutoModerator"] += 1
                elif (text := self.usable(without_quotations(unescaped(text)), counted)) is not None:
                    yield CollectionText(
                        f"{kind}/{row['id']}", text, author, forum, {"date": _day(row.get("created_utc")), "kind": kind}
                    )


_CODE = re.compile(r"<pre.*?(?:</pre>|\Z)|<blockquote.*?(?:</blockquote>|\Z)", re.DOTALL)


@dataclass(eq=False, repr=False)
class StackExchange(Dump):
    """Stack Exchange's data dump: questions and answers of its sites, without code and quotations.

    Authors are accounts by number (``site/7``; Users.xml is not needed), the topic is a question's first tag, which
    its answers share; columns ``site``, ``kind`` (question or answer) and ``date``.

    Parameters
    ----------
    path : str
        The folder of a site with Posts.xml, or a folder of such folders.
    least : int
        Words that a text needs.

    References
    ----------
    The dump's own description of its files (Internet Archive, stackexchange).
    """

    name = "stack-exchange"
    layout = 'SITE/Posts.xml: <row Id="1" PostTypeId="1" OwnerUserId="7" Tags="&lt;a&gt;" Body="…" /> in a line'

    least: int = 10

    def texts_of(self, archive: Archive, counted: Counter[str]) -> Iterator[CollectionText]:
        for name, _ in self.matched(archive, counted, r"(?-i:Posts\.xml)"):
            tag_of: dict[str, str | None] = {}
            site = PurePosixPath(name).parent.name or archive.path.resolve().parent.name
            for row in self._rows(archive, name):
                kind = {"1": "question", "2": "answer"}.get(row.get("PostTypeId", ""))
                tags = re.findall(r"[^<>|]+", row.get("Tags", ""))
                if kind == "question":
                    tag_of[row["Id"]] = tags[0] if tags else None
                if kind is None or "OwnerUserId" not in row:
                    counted["neither question nor answer" if kind is None else "of deleted accounts"] += 1
                    continue
                body = re.sub(r"</?(?:p|br|li|h\d|div)\b[^<>]*>", "\n", _CODE.sub(" ", row.get("Body", "")))
                text = self.usable(re.sub(r"\n\s*\n+", "\n\n", unescaped(re.sub(r"<[^<>]*>", "", body))), counted)
                if text is not None:
                    topic = tag_of.get(row["Id"] if kind == "question" else row.get("ParentId", ""))
                    columns = {"site": site, "kind": kind, "date": row.get("CreationDate", "")[:10] or None}
                    yield CollectionText(f"{site}/{row['Id']}", text, f"{site}/{row['OwnerUserId']}", topic, columns)

    def _rows(self, archive: Archive, name: str) -> Iterator[dict[str, str]]:
        """The attributes of every row; each stands in a line of its own, which no entity can leave."""
        for number, line in archive.lines(name):
            if not (line := line.strip().lstrip("\ufeff")).startswith("<row"):
                if line.startswith(("<?xml", "<posts", "</posts")):
                    continue
                raise FormatError(
                    "this line is no post", file=archive.label(name), line=number, found=line[:80], expected="<row … />"
                )
            try:
                row = dict(ElementTree.fromstring(line).attrib)
            except ElementTree.ParseError as error:
                raise FormatError(f"this row is not XML ({error})", file=archive.label(name), line=number) from None
            if "Id" not in row:
                raise FormatError("this post has no Id", file=archive.label(name), line=number, found=line[:80])
            yield row
