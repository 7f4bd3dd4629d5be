"""What keeps rewritten text readable: what recipes must leave alone, which words may stand in, and mending after."""
