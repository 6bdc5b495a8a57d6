"""The tables of the models, and which of them the store lacks."""

from functools import cache

from django.db import connection


@cache
def of_models() -> list[str]:
    return sorted(connection.introspection.django_table_names())


def missing() -> list[str]:
    found = {*connection.introspection.table_names()}
    return [name for name in of_models() if name not in found]
