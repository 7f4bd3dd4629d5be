"""Text as people type it: accents composed or not, vowel signs and joiners, letters that only look alike."""

import base64
import re
import time
import unicodedata
from collections import Counter

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.obfuscation.base import ObfuscationTask
from ravenbench.reading.collector import TextCollector
from ravenbench.text.damage import signs_of_damage
from ravenbench.text.lexicon import ALL_TOKENS, CONTENT_WORDS, LETTERS
from ravenbench.text.lookalikes import disguised, plain_letters
from ravenbench.text.ngrams import CharNgrams
from ravenbench.text.segmenters import CUT, Characters
from ravenbench.text.tokens import JOINING, WORD, count_words, cut, lowered, normalised, words
from ravenbench.texts import composed
from ravenbench.types import Problems

TEXTS = {
    "Hindi": ("किताब पढ़ना, अच्छा है", 4),
    "Persian": ("می‌خواهم کتاب بخوانم", 3),
    "Arabic with vowels": ("مُحَمَّدٌ يَكْتُبُ كِتَابًا", 3),
    "Hebrew with vowels": ("שָׁלוֹם עֲלֵיכֶם", 2),
    "Thai": ("กินข้าวที่บ้าน", 1),
    "French, decomposed": (unicodedata.normalize("NFD", "L’été, déjà"), 3),
    "Chinese": ("我在iPhone上看书，12年。", 8),
    "Japanese": ("コンピュータで本を読む", 6),
    "pictures": ("fine ❤️ and 👨‍👩‍👧 too", 3),
}


@pytest.mark.parametrize("name", TEXTS)
def test_signs_that_combine_belong_to_their_word(name):
    text, count = TEXTS[name]
    digits = sum(word.isdigit() for word in words(text))
    assert len(words(text)) == len(Characters().words(text)) + digits == count
    assert "".join(CUT.split(text)) == text


@pytest.mark.parametrize(
    "units", [ALL_TOKENS, CONTENT_WORDS, LETTERS], ids=["all", "content", "letters"]
)
def test_the_kernel_counts_words_with_signs_as_the_pattern_does(units):
    texts = [text for text, _ in TEXTS.values()] + ["\u0301 a\u0301\u0302b 1\u0301 12 x_\u200dy"]
    lexicon = units.lexicon()
    for text in texts:
        _, ids, counts = lexicon.count([text])
        folded = Counter[str]()
        for token, count in zip(
            lexicon.names(lexicon.fold[ids].tolist()), counts.tolist(), strict=True
        ):
            folded[token] += count
        assert folded == units.reference(text), text


def test_every_combining_sign_is_known():
    signs = {c for c in map(chr, range(0x110000)) if unicodedata.category(c)[0] == "M"}
    pictures = {c for c in signs if 0xFE00 <= ord(c) <= 0xFE0F or 0xE0100 <= ord(c) <= 0xE01EF}
    assert set(JOINING) == signs - pictures | {"\u200c", "\u200d"}
    assert not any(re.match(r"\s", c) for c in JOINING) and WORD.fullmatch("a" + JOINING)


def test_accents_in_a_row_take_time_by_their_number():
    many = "a" + "\u0300" * 200_000 + "\u0316" * 200_000
    began = time.process_time()
    assert sorted(composed(many + "e\u0301")[-1:] + composed(many)[:1]) == ["\u00e0", "é"]
    assert time.process_time() - began < 5
    for text in (
        "Zoë e\u0301 \u1112\u1161\u11ab…" * 500,
        "\U0001f600" * 3000,
        "\u0995\u09c7\u09be" * 900,
    ):
        assert composed(text) == unicodedata.normalize("NFC", text)


def test_composed_and_decomposed_texts_are_one_text():
    one = ["déjà vu, l’été", "tiếng Việt"]
    other = [unicodedata.normalize("NFD", text) for text in one]
    assert one != other
    problems = [Problems.of([("p", texts[:1], texts[1])]) for texts in (one, other)]
    assert problems[0].texts.digest() == problems[1].texts.digest()
    collector = TextCollector()
    assert [collector.add(text) for text in (*one, *other)] == [0, 1, 0, 1]
    assert list(map(normalised, one)) == list(map(normalised, other))


ENGLISH = "The caravan passes on its way to the coast, and nobody speaks of it. " * 20


def test_letters_that_look_alike_are_counted_and_undone():
    attack = registry.parse("obfuscator", "homoglyphs(rate=.3, invisible=.2)")
    rewriting = attack.obfuscate(ObfuscationTask("p", ENGLISH, (ENGLISH,)), seed=1)
    assert rewriting.counts["letter"] > 100 and rewriting.counts["space"] > 20
    assert sum(not c.isascii() for c in rewriting.text) > 150
    assert plain_letters(rewriting.text) == ENGLISH
    assert {"invisible", "disguised"} <= signs_of_damage(rewriting.text).keys()
    normaliser = registry.parse("transform", "normaliser").fit([ENGLISH] * 3)
    assert normaliser.transform([rewriting.text]) == normaliser.transform([ENGLISH])


@pytest.mark.parametrize(
    "text", ["Он сказал: hello, world, и ушёл.", "α and β are angles", "naïve café"]
)
def test_honest_texts_of_two_alphabets_hold_no_disguise(text):
    assert disguised(text) == {} and plain_letters(text) == text


def test_chinese_characters_count_and_cut_as_words():
    text = "我在上海看书，他说：好。 And so on."
    assert count_words(text) == 12 and cut(text, 3, 2) == "上海看" and cut(text, 12) == text
    assert count_words("no character, three") == 3


@pytest.mark.parametrize(
    ("text", "lower"),
    [
        ("IT IS I", "it is i"),
        ("İYİ İŞ, IŞIK", "iyi iş, ışık"),
        ("Kadıköy'de Isı ve ışık", "kadıköy'de ısı ve ışık"),
        ("I went to Kadıköy. I stayed", "i went to kadıköy. i stayed"),
        ("I like İstanbul, I do", "i like istanbul, i do"),
    ],
)
def test_lowercase_is_turkish_where_a_text_is(text, lower):
    assert lowered(text) == lower
    assert CharNgrams(2).reference(text) == CharNgrams(2).reference(lower)


def test_addresses_and_words_without_blanks_are_no_encoded_mail():
    addresses = "\n".join(
        f"https://example.org/page/{n}?x={7 * n}&about={n + 80}" for n in range(40)
    )
    assert "quoted-printable" not in signs_of_damage(addresses)
    assert "quoted-printable" in signs_of_damage("caf=E9, d=E9j=E0 vu, =C3=A0 la carte")
    run_together = "WhenIn1995theothershadcometotheoldhouseNobodywastheretomeetthem"
    assert signs_of_damage(" ".join([run_together] * 4)) == {"blanks-lost": {"times": 4}}
    encoded = base64.b64encode(
        bytes(np.random.default_rng(1).integers(0, 256, 3_000, dtype=np.uint8))
    ).decode()
    lines = "\n".join(encoded[at : at + 76] for at in range(0, len(encoded), 76))
    assert [*signs_of_damage(f"Here it is.\n{lines}")] == ["base64"]


def test_words_in_alphabetical_order_are_said_to_be_no_prose():
    prose = (
        "It was late when the others had come to the old house, and nobody was there to meet them. We went on without "
        "a light as far as the gate, where a man with a dog asked what we wanted at such an hour of the night."
    )
    assert not signs_of_damage(prose)
    for sorted_words in (
        sorted((prose * 2).split()),
        sorted((prose * 2).lower().split(), reverse=True),
    ):
        assert "alphabetical" in signs_of_damage(" ".join(sorted_words))
