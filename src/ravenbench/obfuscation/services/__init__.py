"""Services asked over HTTP, and a cache of what they answered."""
