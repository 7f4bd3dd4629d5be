"""Tokens, n-grams, profiles, PPM, distortion: pure functions and their kernels."""
