"""Pictures of many texts."""
