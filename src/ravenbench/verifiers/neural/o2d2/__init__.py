"""O2D2 on AdHominem (Boenninghoff et al. 2021)."""
