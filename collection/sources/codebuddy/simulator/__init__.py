"""A stand-in for the upstream: a real HTTP server with repeatable data.

`simulator` has the object that tests and commands use, `answers` the pages, `data` the generated calls, `faults` the
failures and quirks that can be switched on.
"""
