"""What training problems must hold before anything is computed."""

from __future__ import annotations

from ravenbench.errors import CorpusError
from ravenbench.types import Bools


def check_classes(name: str, same: Bools) -> None:
    """Refuse training problems of one class: nothing can be learned from them.

    Raises
    ------
    CorpusError
        With the counts.
    """
    if same.all() or not same.any():
        raise CorpusError(
            f"the training problems of {name} are of one class", found=f"{same.sum()} Y and {(~same).sum()} N",
            expected="problems by the same author and by different authors",
        )  # fmt: skip
