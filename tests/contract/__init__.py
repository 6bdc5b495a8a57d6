"""Answers against the OpenAPI description: docs/api.md#openapi-description."""
