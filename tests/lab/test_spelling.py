"""What a generator wrote is read again from every script, and stays readable after content was replaced."""

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
