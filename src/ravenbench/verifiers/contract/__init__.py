"""What a scorer, a calibrator and a verifier must do, and how a trained one is kept.

In: nothing. Out: nothing: this file holds no code; the modules beside it do the work.
"""
