"""Groups of calls with the same or nearly the same prompt (docs/api.md#repeated).

`prompt_key` gives the number that such prompts share, `groups` reads the groups by an index of it, and `key_filling`
gives it to the records of before an upgrade. `api_types` has the types of the answers.
"""
