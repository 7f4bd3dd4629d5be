"""What all tasks share: the store and its records, keys, units of work, engines, progress."""
