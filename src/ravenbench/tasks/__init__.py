"""Spec, plan, units and keys, run, store. Knows folds, fit, predict and keys; no method by name."""
