"""``raven list``."""

import pytest

from ravenbench import registry
from ravenbench.cli.list import SHOWN, command, summary
from ravenbench.errors import SpecError


@pytest.mark.parametrize("kind", SHOWN)
def test_every_name_says_what_it_is(kind, capsys):
    command(kind)
    told = capsys.readouterr().out
    for name, target in registry.targets(kind).items():
        assert name in told
        assert summary(target), name


def test_an_unknown_kind_is_named():
    with pytest.raises(SpecError, match="verifer"):
        command("verifer")
