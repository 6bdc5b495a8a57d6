"""Answers that need rows of several apps: the views of `api` (`status`, `archive_manifest`, `bundle`), an account's
archives and their sums, the page of the API's description, and the pages of settings and accounts."""
