"""The tests of the main job on scorers of known reliance."""
