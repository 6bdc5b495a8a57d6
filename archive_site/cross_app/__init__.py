"""Answers and changes that span several apps: bundle, manifest, status, account deletion, archive adoption."""
