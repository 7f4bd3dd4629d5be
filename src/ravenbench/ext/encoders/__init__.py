"""Pre-trained encoders of texts on this machine: sentence encoders and models of meaning. No code is
here.
"""
