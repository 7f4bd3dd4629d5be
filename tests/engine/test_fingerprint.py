"""The data of a task that says nothing else of them: what its fields name."""

from typing import Annotated

from ravenbench import Spec, Task, about


class NamedSpec(Spec, frozen=True, kw_only=True, forbid_unknown_fields=True):
    corpus: Annotated[str, about("A corpus.")]
    words: Annotated[str, about("Words.")] = "newspapers"


class Named(Task):
    """Says what it would hash."""

    name = "named"
    Spec = NamedSpec


def of(**fields):
    task = object.__new__(Named)
    task.spec = NamedSpec(**fields)
    return task.fingerprint()


def test_a_corpus_by_name_is_data_as_a_folder_is(tmp_path):
    (tmp_path / "a.txt").write_text("one")
    before = of(corpus=str(tmp_path))
    assert before.keys() == {"corpus"}
    (tmp_path / "a.txt").write_text("another")
    assert of(corpus=str(tmp_path)) != before
    made = of(corpus="synthetic(documents=20)")
    assert made.keys() == {"corpus"} and made != of(corpus="synthetic(documents=24)")
    assert of(corpus="nothing that there is") == {}
