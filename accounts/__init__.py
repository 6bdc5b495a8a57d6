"""Accounts: their data, settings and credentials, sign-in, tokens, notices and webhooks."""
