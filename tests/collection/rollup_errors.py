"""A comparison of the rollups with the records in plain SQL."""


def _differences(rollup: str, *groups: str) -> str:
    """A query for the rows in which a rollup differs from a fresh GROUP BY over the records."""
    keys = ", ".join(groups)
    fresh = f"SELECT {keys}, SUM(credits), COUNT(*), SUM(credits = 0) FROM usage_record GROUP BY {keys}"
    kept = f"SELECT {keys}, credits, calls, free FROM {rollup}"
    return f"SELECT * FROM ({fresh} EXCEPT {kept}) UNION ALL SELECT * FROM ({kept} EXCEPT {fresh})"


ROLLUP_ERRORS = [
    _differences("usage_daygroup", "user_id", "day", "model", "client"),
    _differences("usage_dayhour", "user_id", "day", "hour"),
    _differences("usage_daypurposegroup", "user_id", "day", "model", "client", "agent_purpose"),
    _differences("usage_daypurposehour", "user_id", "day", "hour", "agent_purpose"),
    _differences("usage_daypurpose", "user_id", "day", "agent_purpose"),
]
