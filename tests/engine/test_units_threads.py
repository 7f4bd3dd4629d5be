"""Units use one thread of linear algebra, whenever its libraries are loaded."""

from __future__ import annotations

import os
import subprocess
import sys

LATE = """
from ravenbench.engine.guard import one_thread
with one_thread():
    import scipy.linalg, sklearn.cluster
    from threadpoolctl import threadpool_info
    print(max(library["num_threads"] for library in threadpool_info()), len(threadpool_info()))
"""


def test_libraries_loaded_by_the_method_are_limited():
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**dict.fromkeys(names, "4"), "PYTHONPATH": os.environ["PYTHONPATH"]}
    found = subprocess.run(
        [sys.executable, "-c", LATE], env=environment, capture_output=True, text=True, check=True
    )
    most, libraries = map(int, found.stdout.split())
    assert most == 1 and libraries >= 2
