"""Holds pre-trained encoders of texts: sentence encoders and models of meaning that are on this machine. No code is
here.
"""
