"""A comparison of the rollups with the records in plain SQL."""


def _differences(rollup: str, *groups: str) -> str:
    """A query for the rows in which a rollup differs from a fresh GROUP BY over the records."""
    keys = ", ".join(groups)
    free = "SUM(CASE WHEN credits = 0 THEN 1 ELSE 0 END)"
    fresh = f"SELECT {keys}, SUM(credits), COUNT(*), {free} FROM usage_record GROUP BY {keys}"
    kept = f"SELECT {keys}, credits, calls, free FROM {rollup}"
    return _compared(fresh, kept)


def _compared(fresh: str, kept: str) -> str:
    return f"SELECT * FROM ({fresh} EXCEPT {kept}) AS missing UNION ALL SELECT * FROM ({kept} EXCEPT {fresh}) AS wrong"


_MEASURES = """
    SELECT user_id, day, model, SUM(CASE WHEN provenance = 3 THEN 1 ELSE 0 END),
    SUM(CASE WHEN provenance = 2 THEN 1 ELSE 0 END), COUNT(tokens_in), COALESCE(SUM(tokens_in), 0),
    COALESCE(SUM(tokens_out), 0), COALESCE(SUM(cache_read), 0), COALESCE(SUM(cache_write), 0)
    FROM usage_record JOIN usage_recordmeasures ON record_id = id GROUP BY user_id, day, model"""

_KEPT_MEASURES = """
    SELECT user_id, day, model, without_amount, estimated, with_tokens, tokens_in, tokens_out, cache_read, cache_write
    FROM usage_daymeasures"""

ROLLUP_ERRORS = [
    _differences("usage_daygroup", "user_id", "day", "model", "client"),
    _differences("usage_dayhour", "user_id", "day", "hour"),
    _differences("usage_daypurposegroup", "user_id", "day", "model", "client", "agent_purpose"),
    _differences("usage_daypurposehour", "user_id", "day", "hour", "agent_purpose"),
    _differences("usage_daypurpose", "user_id", "day", "agent_purpose"),
    _compared(_MEASURES, _KEPT_MEASURES),
]
