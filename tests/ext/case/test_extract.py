import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from ravenbench import registry
from ravenbench.errors import InputError
from ravenbench.ext.case.extract import Extract
from ravenbench.randomness import stream
from ravenbench.sampling import HITS
from ravenbench.testing import check_component
from ravenbench.texts import TextTable
from ravenbench.topics.encoders import LSA
from ravenbench.topics.levels import cosine_similarity, topic_vectors
from ravenbench.types import Corpus, Labels

SUBJECTS = (
    "engine wheel brake diesel",
    "goal puck skate team",
    "orbit rocket moon probe",
    "dough oven salt flour",
)
FILLER = [a + b for a in ("bo", "ri", "ta", "mu") for b in "aeiouklmnprst"]


def corpus(per_topic=40):
    rng = np.random.default_rng(0)
    made, true, group = [], [], []
    for number, subject in enumerate(SUBJECTS):
        for _ in range(per_topic + 5 * number):
            made.append(
                " ".join([*rng.choice(subject.split(), size=12), *rng.choice(FILLER, size=20)])
            )
            true.append(number)
            group.append(None if len(made) % 20 == 0 else ("road", "sky")[number // 2])
    texts, rows = TextTable.collect(made)
    assert len(texts) == len(rows)
    n = len(made)
    author = Labels.of([f"a{i % 9}" for i in range(n)])
    columns = {"group": Labels.of(group)}
    return Corpus(
        "made", texts, tuple(map(str, range(n))), author, Labels.of([None] * n), columns=columns
    ), true


def test_clusters_overall_are_named_after_their_words():
    data, true = corpus()
    labels = Extract(clusters=4, encoder=LSA(dimensions=10, max_df=1.0)).labels(data)
    assert adjusted_rand_score(true, labels.codes) > 0.95
    assert [n.partition(":")[0] for n in labels.names] == ["1", "2", "3", "4"]
    for name in labels.names:
        shown = name.partition(": ")[2].split(", ")
        assert any(set(shown) <= set(subject.split()) for subject in SUBJECTS)
    assert labels.counts().tolist() == sorted(labels.counts().tolist(), reverse=True)


def test_clusters_within_a_group_stay_in_it():
    data, _ = corpus()
    labels = Extract("group", clusters=2, encoder=LSA(dimensions=10, max_df=1.0)).labels(data)
    group = data.columns["group"]
    assert len(labels.names) == 4
    for name, parent in zip(labels, group, strict=True):
        assert (name is None) == (parent is None)
        assert name is None or name.startswith(f"{parent}/")


def test_more_clusters_than_documents_are_as_many_as_there_are():
    data, _ = corpus(per_topic=2)
    assert len(Extract(clusters=500, encoder=LSA(max_df=1.0)).labels(data).names) <= len(data)


def test_an_unknown_level_is_refused():
    with pytest.raises(InputError, match="no column 'grop'"):
        Extract(within="grop").labels(corpus()[0])


CODE = """
from tests_extract import corpus, Extract, LSA
print(list(Extract("group", clusters=2, encoder=LSA(dimensions=10, max_df=1.0)).labels(corpus()[0])))
"""


def test_extraction_does_not_depend_on_the_hash_seed(tmp_path):
    (tmp_path / "tests_extract.py").write_text(Path(__file__).read_text())
    outputs = {
        subprocess.run(
            [sys.executable, "-c", CODE],
            env={
                **os.environ,
                "PYTHONHASHSEED": seed,
                "PYTHONPATH": f"{tmp_path}{os.pathsep}{os.environ['PYTHONPATH']}",
            },
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "77")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize("text", ["extract", "extract(within='group', encoder=nmf(components=10))"])
def test_extract_is_a_component(text):
    check_component("topics", registry.parse("topics", text))


@pytest.mark.data
def test_hits_keeps_close_newsgroups_apart(newsgroups_home):
    from sklearn.datasets import fetch_20newsgroups

    bunch = fetch_20newsgroups(
        subset="train", remove=("headers", "footers", "quotes"), download_if_missing=False
    )
    vectors = LSA().encode([text[:2000] for text in bunch.data])
    names = bunch.target_names
    similarity = cosine_similarity(topic_vectors(vectors, np.asarray(bunch.target), len(names)))
    chosen = {names[i] for i in HITS().select(similarity, 10, stream(0, "x")).chosen}
    for close in (
        {"talk.religion.misc", "soc.religion.christian"},
        {"talk.religion.misc", "alt.atheism"},
        {"talk.politics.misc", "talk.politics.guns"},
        {"comp.sys.mac.hardware", "comp.sys.ibm.pc.hardware"},
    ):
        assert not close <= chosen
