"""The main job: topics, folds and pairs, every verifier on every fold."""
