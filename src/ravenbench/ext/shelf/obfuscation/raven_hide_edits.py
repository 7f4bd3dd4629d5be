"""Finds the edits of ``raven-hide``: small changes of form that keep the meaning, each with a cost.

In: for ``safe_edits`` an English text; nothing for ``alternatives``.
Out: ``safe_edits`` returns a list of ``SafeEdit``, each with ``edits`` made together or not at all (half-open spans in
characters, and new text) and one ``cost`` for them, a number above 0: 0.1 = nobody notices, 0.4 = another word or order
of clauses; edits of all signs of a kind cost 0.01 for each sign, of all spellings 0.1 for each word, of all contractions
0.2 for each. ``alternatives`` returns one expression for all phrases, and by phrase its replacements. No error: edits that
need the tagger are left out.

Replacements of words are in ``raven_hide_alternatives.txt``. Quotations (except their signs and
spelling), addresses, names and numbers in dates are left unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from ravenbench.ext.shelf.obfuscation.raven_hide_rules import ruled_edits
from ravenbench.obfuscation.parts import Edit, Span, sentences
from ravenbench.obfuscation.wording.resources import load, word_set
from ravenbench.obfuscation.wording.words import match_case

_INNER = r"[^'‘’\n]|(?<=\w)['’](?=\w)"
"""In single quotes; an apostrophe between letters closes nothing."""
_QUOTED = re.compile(
    r"“[^”\n]*+(?:”|\n|\Z)|\"[^\"\n]++[\"\n]|«[^«»\n]*+»|(?:‘|(?<![^\s(\[\-–—“\"])'(?=[^\W\d_]))(?:"
    rf"(?:{_INNER}|(?<=\w)['’](?= [a-z]))*+(?<=[.,;:!?…–—\-])['’](?!\w)|(?:{_INNER})*+['’](?!\w))"
    r"|(?:https?://|www\.)\S++|(?<!\S)[^\s@]++@\S++|(?m:^>.*+$)"
)
_SUBJECT = "I|he|she|it|they|we|you|this|that|there|these|those"
_AUXILIARY = "is|are|was|were|am|can|could|will|would|should|must|may|might|has|have|had"
_DEPENDENT = re.compile(
    r"(?i)\b(?:if|when|because|although|though|while|since|unless|until|till|before|after|whether|that|which|who|whom|whose|"
    r"what|where|how|why|as|than|once|so|either|neither|both|lest|wherever|whenever|whoever)\b"
)
_OPENING = re.compile(r"(?:(?<=[.!?]\s)|(?<=\n)|\A)[A-Z](?=[a-z])")
"""A capital that only the sentence's start asks for: *They have to* is *they have to* to a condition."""
_SENTENCE_START = r"(?:\A\s*+|[.!?][\"”’')\]]*+\s++|(?<!\s)[^\S\n]*+\n\s*+)\Z"
WHOLE = {"contract": 1, "expand": 1, "typography": 2, "spelling": 2}
"""Edits made in the whole text or nowhere; if one overlaps an edit of a lower number (0: one place), the latter is made."""
_CONTRACTIONS = {"contract", "expand"}
NOTHING = "∅"
"""Means leaving a phrase out."""
_BEFORE = 45
_AFTER = 60
_PAIR = 300
"""Maximum characters for conditions on the text before and after."""


@dataclass(frozen=True)
class SafeEdit:
    """Edits that are made together or not at all, and their cost in meaning."""

    edits: tuple[Edit, ...]
    cost: float

    def clashes(self, other: SafeEdit) -> bool:
        """Return whether the two cannot both be made, because they overlap or touch."""
        whole = [one.edits[0].operation for one in (self, other) if one.edits[0].operation in WHOLE]
        if len({WHOLE[name] for name in whole}) + (len(whole) == 1) == 2:
            return False  # the one of the lower number is made
        if whole and (whole == ["spelling", "spelling"] or _CONTRACTIONS.issuperset(whole)):
            return True
        near = 0 if whole else 1
        return any(
            a.start < b.end + near and b.start < a.end + near
            for a in self.edits
            for b in other.edits
        )


@dataclass(frozen=True)
class Alternative:
    """A replacement of a phrase, if a condition before and after is true."""

    new: str
    before: re.Pattern[str]
    after: re.Pattern[str]
    cost: float


@cache
def alternatives() -> tuple[re.Pattern[str], dict[str, list[Alternative]]]:
    """Return one expression for all phrases with alternatives, and the alternatives by the phrase in lowercase."""
    table: dict[str, list[Alternative]] = {}
    cost = 0.0
    for line in (
        (files(__package__) / "raven_hide_alternatives.txt").read_text("utf-8").splitlines()
    ):
        if line.startswith("["):
            cost = float(line.strip("[]"))
        elif line and not line.startswith("#"):
            phrases, before, after = ([*line.split(" :: "), "", ""])[:3]
            whole = re.sub(r"^(?=\(\?:\w)", r"\\b", before)  # no end of a longer word
            conditions = re.compile(whole.replace("^", _SENTENCE_START)), re.compile(after)
            for group in phrases.split(" ; "):
                sources, _, targets = group.partition(" > ")
                names = [name.strip() for name in f"{sources} | {targets}".strip(" |").split(" | ")]
                for forms in _form_rows(names):
                    for i, source in enumerate(forms[:1] if targets else forms):
                        others = [name for k, name in enumerate(forms) if k != i]
                        table.setdefault(source.lower(), []).extend(
                            Alternative(o, *conditions, cost) for o in others
                        )
    keys = sorted(table, key=lambda key: (-len(key), key))
    return (
        re.compile(
            r"(?<![\w'’\-./@])(?:" + "|".join(map(re.escape, keys)) + r")(?![\w'’\-/@])", re.I
        ),
        table,
    )


def _form_rows(names: list[str]) -> Iterator[list[str]]:
    """``begin/begins to`` and ``start/starts to`` give the row *begin to*, *start to* and the row *begins to* …"""
    split = [[word.split("/") for word in name.split(" ")] for name in names]
    many = max(len(word) for name in split for word in name)
    for i in range(many):
        yield [
            " ".join(word[i] if len(word) == many else word[0] for word in name) for name in split
        ]


def safe_edits(text: str) -> list[SafeEdit]:
    """Return every safe edit of a text."""
    quoted = [match.span() for match in _QUOTED.finditer(text)]
    proposed = [
        *_typography(text),
        *_spelling(text),
        *_phrases(text, quoted),
        *_contractions(text, quoted),
        *_marks(text),
        *_sentence_edits(text),
        *(SafeEdit(edits, cost) for edits, cost in ruled_edits(text)),
    ]
    free = [
        one
        for one in proposed
        if one.edits[0].operation in WHOLE or not any(_within(edit, quoted) for edit in one.edits)
    ]
    return list({one.edits: one for one in free if not _doubles(text, one.edits)}.values())


_DOUBLED = re.compile(r"\b([^\W\d_]+) \1\b", re.IGNORECASE)


def doubled(text: str) -> int:
    """Return how often a word follows itself (*about it it seems*), which a reader sees as a mistake."""
    return sum(1 for _ in _DOUBLED.finditer(text))


def _doubles(text: str, edits: Sequence[Edit]) -> bool:
    """Whether edits bring a word next to itself."""
    ordered = sorted(edits, key=lambda edit: edit.start)
    at = low = max(0, ordered[0].start - _BEFORE)
    new = ""
    for edit in ordered:
        new += text[at : edit.start] + edit.new
        at = edit.end
    high = at + _AFTER
    return doubled(new + text[at:high]) > doubled(text[low:high])


def _within(edit: Edit, spans: list[Span]) -> bool:
    return any(edit.start < high and low < edit.end for low, high in spans)


def _one(start: int, end: int, new: str, operation: str, cost: float) -> SafeEdit:
    return SafeEdit((Edit(start, end, new, operation),), cost)


_GLYPHS: tuple[tuple[str, dict[str, str], str], ...] = (
    # pattern, what stands instead, and else
    ("[‘’“”]", {"‘": "'", "’": "'"}, '"'),
    (" -- ", {}, " — "),
    (r"(?<=[.!?]) {2,3}(?=[A-Z])", {}, " "),
    (r"[ \t]+(?=\n|\Z)|(?<![^\n])[ \t]+", {}, ""),
    (r"(?<=[^\s.!?])(?: [ \t]+|\t[ \t]*)(?=\S)", {}, " "),
)


def _typography(text: str) -> Iterator[SafeEdit]:
    """Glyphs that say the same, and white space that nobody sees: all of a kind, for a mixture would be seen."""
    for pattern, glyphs, other in _GLYPHS:
        edits = tuple(
            Edit(*match.span(), glyphs.get(match.group(), other), "typography")
            for match in re.finditer(pattern, text)
        )
        if edits:
            yield SafeEdit(edits, 0.01 * len(edits))
    if not set(text) & set('‘’“”"'):
        edits = tuple(
            Edit(*match.span(), "’", "typography") for match in re.finditer(r"(?<=\w)'(?=\w)", text)
        )
        if edits:
            yield SafeEdit(edits, 0.01 * len(edits))


def _spelling(text: str) -> Iterator[SafeEdit]:
    """All British spellings made American, or all American ones British."""
    everyday = word_set("everyday words of both spellings") | {
        "forward",
        "forwards",
        "backward",
        "backwards",
        "mum",
        "mums",
        "dialogue",
        "dialogues",
        "drafts",
        "glamour",
    }
    british = {
        one: other for one, other in load("british_american").items() if not {one, other} & everyday
    }
    for table in (british, {other: one for one, other in british.items()}):
        edits = tuple(
            Edit(*match.span(), table[match.group()], "spelling")
            for match in re.finditer(r"(?<![\w'’\-./@])[a-z]{4,}(?![\w'’\-/@])", text)
            if match.group() in table
        )
        if edits:
            yield SafeEdit(edits, 0.1 * len(edits))


def _phrases(text: str, quoted: list[Span]) -> Iterator[SafeEdit]:
    """Phrases of one meaning: all uses of a phrase that may be replaced become the other, or none."""
    regex, table = alternatives()
    replaced: dict[tuple[str, str, float], list[Edit]] = {}
    for match in regex.finditer(text):
        start, end = match.span()
        old = match.group()
        low = max(0, start - _BEFORE)
        before = _OPENING.sub(lambda letter: letter[0].lower(), text[low:start])
        after = text[end : end + _AFTER]
        begins = re.search(_SENTENCE_START, before) is not None
        if (old[0].isupper() and not begins and not old.startswith("I ")) or (
            len(old) > 2 and old.isupper()
        ):
            continue
        for other in table[old.lower()]:
            if other.before.search(before) and other.after.match(after):
                gone = other.new == NOTHING
                if gone and (begins or text[end : end + 1] != " "):
                    continue
                new = "" if gone else match_case(old, other.new) if begins else other.new
                edit = Edit(start, end + gone, new, "drop" if gone else "phrase")
                if _within(edit, quoted) or _doubles(text, (edit,)):
                    continue
                replaced.setdefault((old.lower(), other.new, other.cost), []).append(edit)
    for (_, _, cost), edits in replaced.items():
        unlike = {edit.start: edit for edit in edits}
        yield SafeEdit(tuple(unlike.values()), cost * len(unlike))


_GOES_ON = re.compile(
    r" (?!(?:not|only|and|or|but|because|if|when|to|at|in|on|as|with|is|was)\b)[a-z]"
)
_PARTICIPLE = re.compile(
    r" (?:(?:also|already|always|never|just|all)"
    r" )?(?:been|got|[a-z]{2,}ed|[a-z]+en|done|made|said|found)\b"
)
"""What must follow a contraction of *I am* and of *I have*, which are not contracted if they are stressed."""
_STRESSED = re.compile(r"(?i)\b(?:than|as|what|who|where|how|which|whatever|all|or)\s\Z")


def _contractions(text: str, quoted: list[Span]) -> Iterator[SafeEdit]:
    """All contractions that the text may have, or none."""
    table = load("contractions")
    sign = "’" if text.count("’") > text.count("'") else "'"
    negated = {long for long in table["expansions"] if long.endswith("not")}
    short_forms = list[Edit]()
    long_forms = list[Edit]()
    for long, short in table["expansions"].items():
        for match in re.finditer(rf"(?<![\w'’-]){long}(?![\w'’-])", text, re.IGNORECASE):
            before = text[max(0, match.start() - _BEFORE) : match.start()]
            if long in ("let us", "that is", "who is", "what is") and not re.search(
                _SENTENCE_START, before
            ):
                continue
            after = text[match.end() : match.end() + _AFTER]
            follows = _PARTICIPLE if long.endswith("have") else _GOES_ON
            stands = follows.match(after) is not None and _STRESSED.search(before) is None
            if not after.startswith(" only") if long in negated else stands:
                new = match_case(match.group(), short.replace("'", sign))
                short_forms.append(Edit(*match.span(), new, "contract"))
        if short.lower().endswith("'d") or short.lower().endswith("'s"):
            continue  # had or would, is or has
        pattern = re.escape(short).replace("'", "['’]")
        for match in re.finditer(rf"(?<![\w'’-]){pattern}(?![\w'’-])", text, re.IGNORECASE):
            question = re.match(rf" (?:{_SUBJECT}|the|people)\b", text[match.end() :])
            if not (question and long.endswith("not")):
                long_forms.append(Edit(*match.span(), match_case(match.group(), long), "expand"))
    for match in re.finditer(
        r"(?<![\w'’-])(it|that|there|he|she)['’]s (?:(?:not|very|so|no|only|just|also|always"
        r"|never|now|still|really|quite) )?(?=(?:a|an|the|true|in|on|at|about|why|what|how|my|his|her"
        r"|our|their|your|hard|easy|good|bad|clear|important|necessary|possible|likely|\d+)\b)",
        text,
        re.I,
    ):
        end = match.end(1) + 3
        long_forms.append(Edit(match.start(), end, f"{match[1]} is ", "expand"))
    for edits in (short_forms, long_forms):
        free = [edit for edit in edits if not _within(edit, quoted)]
        apart = [
            edit
            for i, edit in enumerate(free)
            if not any(edit.start < one.end and one.start < edit.end for one in free[:i])
        ]
        if apart:
            yield SafeEdit(tuple(sorted(apart, key=lambda edit: edit.start)), 0.2 * len(apart))


_DASH = r"(?<=\w)(?: ?— ?| – | ?--+ ?| - )(?=(?:and|but|or|which|especially|not|yet|with|even) )"
_VERB = "think|thought|know|knew|believe|believed|hope|hoped|say|said|says|feel|felt|guess|suppose|found"
_THAT = "|".join(
    rf"(?<=\b{name} {verb})" for name in _SUBJECT.split("|")[:7] for verb in _VERB.split("|")
)
_OPENER = "Today|Yesterday|Sometimes|Soon|Finally|Later|At first|At last|In the end"
_OPENERS = "|".join(rf"(?<=(?<![\w,;] ){name})" for name in _OPENER.split("|"))
_RULES = (
    # pattern, what stands instead (a letter after a new full stop becomes a capital), operation, cost
    (_DASH, ", ", "dash", 0.3),
    (
        rf"(?<=\w); (?=(?:I|he|she|it|they|we|you|there) (?:{_AUXILIARY}|did|do|\w+ed)\b|(?:however|therefore), )",
        ". ",
        "split",
        0.2,
    ),
    (rf"(?<=\w); (?=(?:and|but|yet) (?:{_SUBJECT}) )", ", ", "semicolon", 0.1),
    (
        rf"(?<=[a-z]) (?=but (?:he|she|they|we|I|it) (?:{_AUXILIARY}|did|do|\w+ed)\b)",
        ", ",
        "comma",
        0.1,
    ),
    (rf"(?:{_OPENERS}),(?= (?:{_SUBJECT}|the|my|his|her|our|your|their)\b)", "", "comma", 0.1),
    (rf"(?:{_OPENERS})(?= (?:{_SUBJECT}|the|my|his|her|our|your|their)\b)", ",", "comma", 0.1),
    (
        rf"(?:{_THAT}) that(?= (?:I|he|she|it|they|we) \w)(?![^.!?]* (?:and|but|or) that )",
        "",
        "that",
        0.2,
    ),
    *(
        (
            rf"(?<=[a-z] ){i}(?= (?:days|weeks|months|years|hours|times|books|apples|friends|sisters"
            r"|brothers|children|kids|reasons|things|ways)\b)",
            name,
            "numeral",
            0.1,
        )
        for i, name in enumerate(
            ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], start=1
        )
    ),
)
_ANY_DASH = re.compile(r"—|–|--|(?<=\s)-(?=\s)")


def _in_pair(text: str, start: int, end: int) -> bool:
    """Whether another dash stands in the sentence, as one of two that set a part of it off."""
    before = re.split(r"[.!?\n]", text[max(0, start - _PAIR) : start])[-1]
    after = re.split(r"[.!?\n]", text[end : end + _PAIR])[0]
    return _ANY_DASH.search(before) is not None or _ANY_DASH.search(after) is not None


def _marks(text: str) -> Iterator[SafeEdit]:
    """Marks where another, or none, does as well; *that* left out; numerals as words."""
    for pattern, new, operation, cost in _RULES:
        for match in re.finditer(pattern, text):
            if operation == "dash" and _in_pair(text, *match.span()):
                continue
            put = match.expand(new)
            end = match.end()
            if put == ". ":
                put = put + text[end].upper()
                end = end + 1
            yield _one(match.start(), end, put, operation, cost)


_FINITE = rf"(?:{_AUXILIARY}|did|do|\w+ed)\b"
_VERBAL = re.compile(rf"\b(?:{_AUXILIARY}|did|do)\b|ed\b")
"""What a sentence has and a fragment, which is meant and stays, has not."""
_MOVABLE = "because|although|though|unless|even though"
_ATTITUDE = re.compile(
    r"\b(?:think|thought|say|said|know|knew|believed?|feel|felt|hoped?|wondered|asked|told|promised)\b"
)
"""Verbs after which it is not clear to which of two clauses a third belongs."""


def _sentence_edits(text: str) -> Iterator[SafeEdit]:
    """Sentences joined and cut, subordinate clauses and sentence adverbs put elsewhere."""
    spans = sentences(text)
    for (start, end), following in zip(spans, [*spans[1:], None], strict=True):
        body = text[start:end].rstrip()
        stop = start + len(body)
        if not body.endswith(".") or body.endswith("..") or re.search('[(:;—“”"]', body):
            continue
        yield from _cuts(start, body)
        yield from _moved_clause(start, stop, body)
        yield from _moved_adverb(start, body)
        other = "" if following is None else text[following[0] : following[1]].rstrip()
        joins = re.match(
            rf"(?:But|And|So|Yet|Or) (?=(?:{_SUBJECT}|the|my|his|her|our|their|this)\b)", other
        )
        if (
            joins
            and _VERBAL.search(body)
            and len(body.split()) + len(other.split()) <= 40
            and text[stop:end] in (" ", "  ")
        ):
            yield _one(stop - 1, end + 1, ", " + other[0].lower(), "join", 0.2)


def _cuts(start: int, body: str) -> Iterator[SafeEdit]:
    for match in re.finditer(rf", (and|but|so) (?=(?:{_SUBJECT}) {_FINITE})", body):
        head = body[: match.start()]
        tail = body[match.end() :]
        if (
            not _DEPENDENT.search(head)
            and _VERBAL.search(head)
            and min(len(head.split()), len(tail.split())) >= 4
            and "," not in head
        ):
            begin = tail[0].upper() if match[1] == "and" else f"{match[1].capitalize()} {tail[0]}"
            yield _one(start + match.start(), start + match.end() + 1, f". {begin}", "split", 0.2)


def _moved_clause(start: int, stop: int, body: str) -> Iterator[SafeEdit]:
    """*S because C.* becomes *Because C, S.*, and the other way round."""
    subject = word_set("openers of a sentence")
    if re.search(
        r"\b(?:and|or|but|nor|\w+ly because) |n['’]t\b|\b(?:not|only|just|never|then|partly)\b",
        body,
    ) or _ATTITUDE.search(body):
        return
    if match := re.fullmatch(rf"(\w+ [^,]{{8,90}}?),? ({_MOVABLE}) ([^,]{{8,90}})\.", body):
        main, word, clause = match.groups()
        if {
            main.split(" ")[0].lower(),
            clause.split(" ")[0].lower(),
        } <= subject and not _DEPENDENT.search(main + clause):
            own = main[0] if re.match(r"I\b", main) else main[0].lower()
            front = Edit(start, start + 1, f"{word.capitalize()} {clause}, {own}", "move clause")
            yield SafeEdit((front, Edit(start + match.end(1), stop - 1, "", "move clause")), 0.4)
    if match := re.fullmatch(
        rf"((?:{_MOVABLE}|if|when|since)) ([^,]{{8,90}}), ((?:I|you|we|there)\b [^,]{{8,90}})\.",
        body,
        re.I,
    ):
        word, clause, main = match.groups()
        if (
            body[0].isupper()
            and clause.split(" ")[0].lower() in subject
            and not _DEPENDENT.search(clause + main)
        ):
            front = Edit(start, start + match.start(3) + 1, main[0].upper(), "move clause")
            yield SafeEdit(
                (front, Edit(stop - 1, stop - 1, f" {word.lower()} {clause}", "move clause")), 0.4
            )


_ADVERBS = "However|Therefore|Of course|For example|For instance|Indeed|In fact"
_TIMES = (
    r"In (?:the (?:morning|evening|afternoon|summer|winter|beginning|past|future)|\d{4})|Last"
    r" (?:year|week|night)"
)


def _moved_adverb(start: int, body: str) -> Iterator[SafeEdit]:
    """*However, it is*: *It is, however,*; *It is also*: *Also, it is*; *In 1990, we moved*: *We moved in 1990*."""
    if match := re.match(rf"({_ADVERBS}), ((?:{_SUBJECT}) (?:{_AUXILIARY})) (?=\w)", body):
        moved = f"{match[2][0].upper()}{match[2][1:]}, {match[1].lower()}, "
        yield _one(start, start + match.end(), moved, "move adverb", 0.2)
    if match := re.match(
        rf"({_TIMES}), ((?:I|he|she|they|we) (?!.*\b(?:and|or|but)\b)[^,;]{{8,50}})\.\Z", body
    ):
        front = Edit(start, start + match.start(2) + 1, match[2][0].upper(), "move adverb")
        at = start + match.end(2)
        if not _DEPENDENT.search(match[2]) and not _ATTITUDE.search(match[2]):
            yield SafeEdit(
                (front, Edit(at, at, f" {match[1][0].lower()}{match[1][1:]}", "move adverb")), 0.3
            )
