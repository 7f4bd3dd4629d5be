"""How cells are computed: in which processes, with what care for user code, and what is prepared before them."""
