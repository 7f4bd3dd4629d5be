"""Clients of services over HTTP, and a cache of what they answered."""
