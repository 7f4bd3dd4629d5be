"""Document encoders, topic vectors, topic extraction."""
