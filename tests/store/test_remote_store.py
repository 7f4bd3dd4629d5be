"""Stores and corpora behind an fsspec URL: a local S3 server, and no rights."""

import json
import os
import re
import urllib.request

import pytest

from ravenbench.errors import InputError
from ravenbench.store.store import Store
from ravenbench.tasks.api import run
from ravenbench.tasks.run.record import RunPlan
from ravenbench.tasks.verify.plan import VerifyPlan

pytestmark = pytest.mark.extra
OPTIONS = {
    "topics": 4,
    "folds": 2,
    "pools": 1,
    "samplers": "hits",
    "docs_per_topic": 30,
    "probe": "none",
    "verifiers": "length, char-ngram",
    "workers": 1,
}
CORPUS = "synthetic(authors=40, topics=8, documents=240, words=60)"


@pytest.fixture
def bucket(monkeypatch, tmp_path, need_extra):
    server = need_extra("moto.server").ThreadedMotoServer(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "RAVEN_CACHE": str(tmp_path / "cache"),
    }.items():
        monkeypatch.setenv(name, value)
    s3fs = need_extra("s3fs")
    s3fs.S3FileSystem.clear_instance_cache()
    name = re.sub("[^a-z0-9]", "", tmp_path.name)
    s3fs.S3FileSystem().mkdir(name)
    yield f"s3://{name}"
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_a_run_in_an_object_store_equals_a_local_one(bucket, tmp_path):
    local = run(CORPUS, out=tmp_path / "run", **OPTIONS).store
    remote = run(CORPUS, out=f"{bucket}/one", **OPTIONS).store
    assert Store.open(f"{bucket}/one").plan.cells == local.plan.cells
    for cell in local.plan.cells:
        assert (
            remote.read_cell(cell.key).answers.tobytes()
            == local.read_cell(cell.key).answers.tobytes()
        )
    remote.cell_path(cell.key).write_bytes(b"torn")
    run(CORPUS, out=f"{bucket}/one", **OPTIONS)
    assert (
        remote.read_cell(cell.key).answers.tobytes() == local.read_cell(cell.key).answers.tobytes()
    )


def test_a_corpus_behind_a_url(bucket, tmp_path):
    from ravenbench.reading.load import load_corpus

    lines = [
        json.dumps({"text": d.text, "author": d.author, "topic": d.topic})
        for d in load_corpus(CORPUS)
    ]
    from upath import UPath

    UPath(f"{bucket}/c.jsonl").write_text("\n".join(lines))
    store = run(f"{bucket}/c.jsonl", out=tmp_path / "run", **OPTIONS).store
    assert store.plan_as(RunPlan).corpus.documents == 240


def test_a_store_that_cannot_be_written(bucket, monkeypatch, need_extra):
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    need_extra("s3fs").S3FileSystem.clear_instance_cache()
    with pytest.raises(InputError, match="cannot be written"):
        run(CORPUS, out="s3://elsewhere/run", **OPTIONS)


def test_a_store_without_rights(bucket, need_extra):
    """The server answers, and says no."""
    need_extra("moto")
    endpoint = os.environ["AWS_ENDPOINT_URL"]

    def refuse_after(calls: int) -> None:
        order = urllib.request.Request(
            f"{endpoint}/moto-api/reset-auth", data=str(calls).encode(), method="POST"
        )
        order.add_header("Content-Type", "text/plain")
        urllib.request.urlopen(order).close()

    refuse_after(0)
    need_extra("s3fs").S3FileSystem.clear_instance_cache()
    try:
        with pytest.raises(InputError, match=r"cannot be written[\s\S]*your permissions there"):
            run(CORPUS, out=f"{bucket}/one", **OPTIONS)
        with pytest.raises(InputError, match="cannot be read"):
            run(f"{bucket}/c.jsonl", **OPTIONS)
    finally:
        refuse_after(10**9)


def test_verify_and_pan14_in_an_object_store(bucket, tmp_path):
    from ravenbench.reading.answers import read_answers
    from ravenbench.reading.problem_formats.pan_folders import write_pan_problems
    from ravenbench.tasks.api import pan14, verify
    from ravenbench.testing import toy_problems

    corpus = tmp_path / "corpus"
    for part, n, seed in (("train", 24, 1), ("test", 12, 2)):
        write_pan_problems(corpus / part, *toy_problems(n, known=2, words=60, seed=seed))
    options = {"train": corpus, "test": corpus, "workers": 1}
    here = verify("char-ngram(size=300)", **options, out=tmp_path / "answers.txt")
    there = verify(
        "char-ngram(size=300)", **options, folder=f"{bucket}/v", out=f"{bucket}/answers.txt"
    )
    written = (there.folder.parent / "answers.txt").read_bytes()
    assert (
        written == (tmp_path / "answers.txt").read_bytes()
        and len(read_answers(tmp_path / "answers.txt").ids) == 12
    )
    for block in there.store.plan_as(VerifyPlan).blocks:
        there.store.cell_path(block.key).unlink()
    again = verify("char-ngram(size=300)", **options, folder=f"{bucket}/v")
    assert (
        again.seconds["fit"] is None and again.answers.value.tolist() == here.answers.value.tolist()
    )
    cells = [
        pan14(corpus, verifiers="length", out=out, workers=1).store
        for out in (tmp_path / "p", f"{bucket}/p")
    ]
    near, far = (store.cell("length", "corpus-00") for store in cells)
    assert near is not None and far is not None and near.answers.tolist() == far.answers.tolist()
