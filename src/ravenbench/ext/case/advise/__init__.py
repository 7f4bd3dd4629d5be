"""Advice: what gives a text away, and what changing it would gain; nothing is kept."""
