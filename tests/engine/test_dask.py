"""A Dask cluster of processes: same bytes, a killed worker, a lost scheduler."""

import os
import platform
import signal
import subprocess
import sys
import threading
import time

import pytest

from ravenbench.engine import pool
from ravenbench.engine.pool import dask, engine
from ravenbench.errors import RavenError, SpecError
from ravenbench.tasks.api import run
from small_run import SMALL
from stored import answers

pytestmark = pytest.mark.extra
OPTIONS = {**SMALL, "verifiers": "length, char-ngram, function-words, chance"}


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    folder = tmp_path_factory.mktemp("local") / "run"
    run(out=folder, workers=1, **OPTIONS)
    return answers(folder)


@pytest.fixture
def cluster(need_extra):
    distributed = need_extra("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        yield cluster


def test_a_worker_killed_in_mid_run(cluster, expected, tmp_path):
    victim = next(iter(cluster.workers.values())).pid
    threading.Timer(0.3, lambda: os.kill(victim, signal.SIGKILL)).start()
    run(out=tmp_path / "run", engine=dask(cluster.scheduler_address), **OPTIONS)
    assert answers(tmp_path / "run") == expected


def test_the_scheduler_lost_in_mid_run_and_the_run_taken_up_again(expected, tmp_path, need_extra):
    distributed = need_extra("distributed")
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None)
    real = dask(cluster.scheduler_address, timeout=5)
    done = 0

    def losing(units):
        nonlocal done
        for result in real(units):
            done += 1
            if done == 3:
                cluster.close()
                time.sleep(0.2)
            yield result

    with pytest.raises(RavenError, match="repeat the command"):
        run(out=tmp_path / "run", engine=losing, **OPTIONS)
    assert done < 10
    run(out=tmp_path / "run", workers=1, **OPTIONS)
    assert answers(tmp_path / "run") == expected


class Nap:
    """A unit that takes a while."""

    def work(self):
        time.sleep(0.5)
        return []


def test_a_cluster_that_lost_all_its_workers_is_not_waited_for_without_end(cluster, monkeypatch):
    import cloudpickle

    monkeypatch.setattr(pool, "WORKERLESS", 2.0)
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    units = dask(cluster.scheduler_address)([Nap() for _ in range(40)])
    next(units)
    cluster.scale(0)
    # A unit that is done already may leave with its worker before it is handed over: then its loss is what is said.
    said = r"no workers for 2 seconds|timed out after 30 s|the scheduler stopped"
    with pytest.raises(RavenError, match=rf"the Dask cluster failed \(.*({said})(.|\n)*repeat"):
        list(units)


def test_what_is_no_address_is_refused_at_once(need_extra):
    need_extra("distributed")
    for address in ("not a url", "tcp://nowhere", "foo://x:1"):
        with pytest.raises(SpecError, match="not the address of a scheduler"):
            dask(address)


def test_a_scheduler_that_is_not_there(tmp_path, need_extra):
    need_extra("distributed")
    with pytest.raises(RavenError, match="no Dask scheduler answers"):
        run(out=tmp_path / "run", engine=dask("tcp://127.0.0.1:9", timeout=1), **OPTIONS)


def test_engines_by_name():
    with pytest.raises(SpecError, match="unknown engine"):
        engine("spark")
    with pytest.raises(SpecError, match="needs --scheduler"):
        engine("dask")
    with pytest.raises(SpecError, match="requires --engine dask"):
        engine("local", scheduler="tcp://127.0.0.1:9")


def test_workers_started_elsewhere_find_a_relative_folder(
    need_extra, tmp_path, monkeypatch, expected
):
    distributed = need_extra("distributed")
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "there")
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=None
    ) as cluster:
        monkeypatch.chdir(tmp_path / "here")
        run(out="run", engine=dask(cluster.scheduler_address), **OPTIONS)
    assert answers(tmp_path / "here" / "run") == expected


COUNTING = """
import resource, sys
import numpy as np
from ravenbench.engine.pool import keep_memory

if sys.argv[1] == "keep":
    keep_memory()
for _ in range(3):
    np.ones(1 << 19)
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    np.ones(1 << 19)
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc takes these options")
def test_a_worker_uses_freed_memory_again_where_dask_has_it_returned():
    def faults(how):
        command = [sys.executable, "-c", COUNTING, how]
        said = subprocess.run(
            command, env=os.environ | {"MALLOC_TRIM_THRESHOLD_": "65536"}, capture_output=True
        )
        return int(said.stdout)

    assert faults("keep") * 10 < faults("return")
