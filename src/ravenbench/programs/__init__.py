"""Running programs that are not part of Raven, for every room that takes them in."""
