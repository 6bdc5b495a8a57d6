"""Runs: what is asked for, works, and ended (docs/api.md#run).

`run_start` queues a run, `run_stop` stops it, `run_execution` works it off under the `lease` and ends it with one of
the `run_outcomes`; `run_progress` notes how far it is, `import_progress` how far an import is. `runs` has their rows
and their form in the API, `run_counts` and `last_collections` what metrics ask of them, and `run_webhooks` sends the
event of a run that ended. What a run does is in the rooms above: `reading`, `verification` and `transfer`.
"""
