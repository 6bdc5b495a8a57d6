"""`GET /metrics` for Prometheus (docs/metrics.md).

`middleware` answers it and measures requests; neither happens, and nothing of the library is loaded, unless the
environment opens the page. `access` says to whom. `store_metrics` puts together what `accounts`, `work` and `storage`
read from the store, `request_times` what this process has measured.
"""
