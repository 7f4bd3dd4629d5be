"""The lab's names are registered while its tests run, and not for tests of other files in the same process."""

import sys
from collections.abc import Iterator

import pytest
from benchmarks import lab

from ravenbench import registry, seams
from ravenbench.engine import task


@pytest.fixture(autouse=True, scope="module")
def registered() -> Iterator[None]:
    """Task, corpora and verifier of the lab."""
    caches = (
        seams.present_points,
        seams.registered,
        registry.targets,
        task.task_of,
        task.declared_of,
    )
    lab.register()
    for cache in caches:
        cache.cache_clear()
    yield
    sys.path.remove(lab.NAMES)
    for cache in caches:
        cache.cache_clear()
