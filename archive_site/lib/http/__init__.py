"""The code between a request and a view: parameters, errors, limits, middleware."""
