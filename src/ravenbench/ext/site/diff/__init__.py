"""The viewer of what a rewriting changed."""
