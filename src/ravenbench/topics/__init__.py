"""Document encoders, the topic vectors and similarities made of them, and the extraction of topics."""
