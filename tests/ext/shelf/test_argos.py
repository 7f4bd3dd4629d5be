"""Argos through a stand-in for its package: direct pairs are used, indirect ones refused."""

import sys
from types import ModuleType, SimpleNamespace

import pytest

from ravenbench.errors import MissingPart
from ravenbench.ext.shelf.obfuscation import translators
from ravenbench.registry import parse


@pytest.fixture(autouse=True)
def fresh():
    translators._direct.cache_clear()
    yield
    translators._direct.cache_clear()


@pytest.fixture
def installed(monkeypatch):
    pairs = [("en", "de"), ("fr", "en")]
    root, package, translate = ModuleType("argostranslate"), ModuleType("package"), ModuleType("translate")
    package.get_installed_packages = lambda: [
        SimpleNamespace(type="translate", from_code=a, to_code=b) for a, b in pairs
    ]
    translate.get_translation_from_codes = lambda a, b: SimpleNamespace(translate=lambda text: f" {b}:{text} ".upper())
    root.package, root.translate = package, translate
    monkeypatch.setitem(sys.modules, "argostranslate", root)
    return pairs


def test_direct_pair(installed):
    assert parse("translator", "argos").translate(["good day", "yes"], "en", "de") == ["DE:GOOD DAY", "DE:YES"]


def test_a_pair_by_way_of_english_is_refused(installed):
    with pytest.raises(MissingPart, match="by way of English") as caught:
        parse("translator", "argos").translate(["guten Tag"], "de", "fr")
    assert "en→de" in str(caught.value) and "translate-de_fr" in str(caught.value)


def test_not_installed(monkeypatch):
    monkeypatch.setitem(sys.modules, "argostranslate", None)
    with pytest.raises(MissingPart, match="pip install argostranslate"):
        parse("translator", "argos").translate(["x"], "en", "de")
