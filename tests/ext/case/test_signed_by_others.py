"""A text of a case that another author of the background signs."""

from pathlib import Path

from ravenbench.ext.case.compare.material import CaseCandidate, CaseTexts, screen
from ravenbench.reading.load import load_corpus
from ravenbench.reading.texts import Text
from ravenbench.types import Corpus, Labels


def test_a_known_text_that_another_signs_is_said():
    toy = load_corpus("synthetic(authors=4, documents=12, words=60)")
    names = {name: f"Eve {name}" for name in toy.author.names}
    corpus = Corpus(
        toy.name, toy.texts, toy.ids, Labels.of(names[one] for one in toy.author), toy.topic
    )
    other = min(corpus.author.names)

    def text(name: str, words: str) -> Text:
        return Text(Path(name), words, len(words.split()))

    known = (
        text("a.txt", f"Words of hers, and more.\n\n{other}\n"),
        text("b.txt", "Words of hers alone.\n\nAnn Roe\n"),
    )
    case = CaseTexts("q", text("q.txt", "Some words of nobody."), CaseCandidate("Ann Roe", known))
    notes = screen([case], corpus).notes["q"]
    assert notes == [
        f"the known text a.txt has another author's name at its beginning or end, as if signed by: {other}"
    ]
