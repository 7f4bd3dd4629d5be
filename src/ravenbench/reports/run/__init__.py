"""The report of the main job."""
