"""A case in a language that a verifier cannot read."""

import numpy as np
import pytest

from ravenbench import registry
from ravenbench.errors import SpecError
from ravenbench.ext.case.compare.units import learned
from ravenbench.testing import toy_problems
from ravenbench.types import Problems

THAI = "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะแล้วก็ดื่มกาแฟ " * 4


def test_a_task_fails_such_a_method_and_no_other():
    problems = Problems.of([(str(i), [f"{THAI}{i}"], f"{THAI}!") for i in range(4)])
    with pytest.raises(SpecError, match="function-words reads words, but in Thai"):
        learned(registry.parse("verifier", "function-words"), problems, np.array([True, False] * 2))
    learned(registry.parse("verifier", "function-words"), *toy_problems(40, seed=1))
