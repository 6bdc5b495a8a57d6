"""Filters of the records page under a name (docs/api.md#saved-views): `api` answers, `stored_views` keeps them."""
