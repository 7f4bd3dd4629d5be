"""Document encoders, topic vectors and similarities made from them, and the extraction of topics.

This file contains no code; see the modules in this folder.
"""
