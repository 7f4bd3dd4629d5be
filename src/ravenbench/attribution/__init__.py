"""Attribution: classifiers and protocols."""
