"""Who of several candidates wrote a text, or none of them? A form of ``raven attribute``."""
