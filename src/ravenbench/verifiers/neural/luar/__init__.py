"""LUAR (Rivera-Soto et al. 2021)."""
