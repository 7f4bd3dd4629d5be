"""Pre-trained encoders of texts: sentence encoders and models of meaning that lie on this machine."""
