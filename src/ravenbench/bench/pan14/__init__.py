"""The tables of the PAN-2014 overview for any verifiers."""
