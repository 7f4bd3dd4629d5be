"""Attribution methods; what they share stands one folder up."""
