"""What a whole job took is read from its processes, those below them included."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
from benchmarks.bench_whole import PREFIX, Watch, page, scores

HOLD = """
held = bytearray(60 << 20)
held[::4096] = b"1" * len(held[::4096])
for _ in range(3_000_000):
    pass
print(flush=True)
input()
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="Linux tells memory there")
def test_memory_and_seconds_of_a_process_below_another(tmp_path):
    stage = tmp_path / "stage"
    stage.write_text("fitting")
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {HOLD!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", inner], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        child.stdout.readline()
        watch = Watch(child.pid, stage)
        watch.look()
        time.sleep(0.05)
        watch.look()
        child.communicate(b"\n")
    assert 60 < watch.largest < watch.resident < 200 and 60 < watch.shared_once <= watch.resident
    assert (
        list(watch.stages) == [watch.fullest] == ["fitting"] and 0.05 < watch.stages["fitting"] < 5
    )


def test_the_page_has_a_line_for_every_job():
    sizes = {"peak_mb": 1712.4, "resident_mb": 2980.0, "largest_mb": 1000.0}
    row = {"name": PREFIX + "paper", "clock_seconds": 125.2, "ours_seconds": 1234.5, **sizes}
    row |= {"stages": {"starting": 0.2, "fitting": 12.3}, "fullest": "fitting"}
    row |= {"scores": {"ppm, random": [0.9123, 0.5]}}
    found = page([row, {"name": "another"}])
    assert "| `paper` | 2 min 5 s | 1,234 | 1.71 GB | 2.98 GB | 1.00 GB |" in found
    assert "| paper | ppm, random | 0.912 | 0.500 |" in scores([row, {"name": "another"}])
    assert "- `paper`: fitting 12 (most memory: fitting)" in found
