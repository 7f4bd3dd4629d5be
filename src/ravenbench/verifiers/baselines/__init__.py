"""The plain methods that others are measured against."""
