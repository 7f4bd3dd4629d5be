"""What a generator wrote is read again from every script, and stays readable after content was replaced."""

import re

import numpy as np
import pytest
from benchmarks.lab.manifold import Manifold
from benchmarks.lab.spelling import SCRIPTS, Scripted

from ravenbench.errors import SpecError
from ravenbench.problems.transplant import Transplanter
from ravenbench.text.segmenters import Spaces
from ravenbench.types import Problems

SIZES = {"documents": 60, "authors": 12, "topics": 6, "words": 120, "seed": 3}
GENERATORS = [Scripted(**SIZES), Manifold(**SIZES, loud=3)]


@pytest.fixture(scope="module", params=GENERATORS, ids=lambda one: one.name)
def generator(request):
    plain = [document.text for document in request.param.stream()]
    yield request.param, plain
    request.param.set_params(script="latin")


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_script_is_read_again(generator, script):
    made, plain = generator
    made.set_params(script=script)
    written, (write, read) = [document.text for document in made.stream()], made.spelling()
    assert [read(text).lower() for text in written] == [text.lower() for text in plain]
    assert [write(read(text)) for text in written] == written
    assert (written == plain) is (script == "latin")
    spaces = sum(text.count(" ") for text in written) / sum(map(len, written))
    assert (spaces < 0.03) is (script == "unspaced")


@pytest.mark.parametrize("script", ["latin", "unspaced", "rtl", "clitics"])
def test_function_words_stay_in_every_script(generator, script):
    made, _ = generator
    made.set_params(script=script)
    corpus, functions, (_, read) = made.load(), made.functions(), made.spelling()
    maker = Transplanter(
        corpus.texts, author=corpus.author, topic=corpus.topic, language=corpus.language
    )
    problems = Problems.pairs(corpus.texts, np.arange(0, 30), np.arange(30, 60))
    done = maker.transplant(problems)
    assert len(done) > 10 and (script == "unspaced") is bool(maker.splicer.segmented)
    counts = []
    for version in (done.plain, done.on, done.off):
        words = [
            word
            for row in version.questioned_index
            for word in Spaces().words(read(version.texts[int(row)]))
        ]
        counts.append(sum(word in functions for word in words))
    assert counts[1:] == pytest.approx(counts[:1] * 2, rel=0.03)
    assert (
        done.plain.texts[int(done.plain.questioned_index[0])]
        != done.on.texts[int(done.on.questioned_index[0])]
    )


def test_there_is_no_such_script():
    with pytest.raises(SpecError, match="no such script"):
        Scripted(script="runes").load()


@pytest.mark.parametrize("generator", [Scripted(**SIZES, traces=1), Manifold(**SIZES, traces=1)])
def test_topic_shows_in_names_numbers_and_addresses(generator):
    """Each stands in most texts, and none in those without traces; function words are untouched."""
    traced = [document.text for document in generator.stream()]
    generator.set_params(traces=0)
    plain = [document.text for document in generator.stream()]
    for pattern in (r"(?<=[a-z] )[A-Z][a-z]+", r"\b\d{3,}\b", r"[a-z]+@[a-z]+\.edu"):
        holding = [
            sum(bool(re.search(pattern, text)) for text in texts) for texts in (traced, plain)
        ]
        assert holding[0] > 0.8 * len(traced)
        assert holding[1] < holding[0] or pattern == r"\b\d{3,}\b"
    functions = generator.functions()
    kept = [
        [word for word in re.findall("[a-z]+", text.lower()) if word in functions]
        for text in (plain[0], re.sub(r"[a-z]+@[a-z]+\.edu", "", traced[0]))
    ]
    assert kept[0] == kept[1]
    hosts = {re.search(r"@([a-z]+)\.edu", text)[1] for text in traced if "@" in text}
    assert 1 < len(hosts) < len(traced)


def test_traces_are_written_in_latin_letters_only():
    with pytest.raises(SpecError, match="traces=1 needs"):
        Manifold(**SIZES, traces=1, script="rtl").check()
