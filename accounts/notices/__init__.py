"""Notices to the addresses of an account."""
