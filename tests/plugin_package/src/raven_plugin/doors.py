"""A command and a kind of document that this package adds."""

from ravenbench.seams import LOOK, Command, DocumentFormat

COUNT = Command("raven_plugin.counting:count", "Count the words of a text.", LOOK)
SHOUTED = DocumentFormat("shouted text", (".loud",), "raven_plugin.counting:read_shouted")
