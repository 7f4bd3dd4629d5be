"""Backgrounds of a dozen authors, with which tests compare, are enough here."""

from collections.abc import Iterator

import pytest

from ravenbench.ext.case.compare import background


@pytest.fixture(autouse=True, scope="module")
def few_authors_do() -> Iterator[None]:
    """The number itself is asked about in ``test_compare_evidence`` and in the walk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(background, "LIKE", 8)
        patch.setattr(background, "FEWEST_AUTHORS", 8)
        yield
