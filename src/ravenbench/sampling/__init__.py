"""Topic samplers: HITS, Random, Anti, Grouping, Hybrid."""
