"""How long calls and prompts are kept (docs/decisions/records.md#retention).

`choices` has what accounts chose, `page` shows it, and `erasing` erases calls and `erased_prompts` behind the horizon,
as long as `erasure_day` believes the clock.
"""
