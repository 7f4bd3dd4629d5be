"""Topic samplers: HITS, Random, Anti, Grouping, Hybrid, Farthest-first, Local search."""
