"""Backups of the store: creation, listing, pruning and restore."""
