"""Document encoders, the topic vectors and similarities made of them, and the extraction of topics.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
