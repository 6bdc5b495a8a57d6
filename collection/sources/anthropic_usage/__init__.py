"""The bills of an organisation at Anthropic, which prove calls of other archives (docs/sources/anthropic-usage.md).

`traits` says what it gives, `reader` asks, `failures` reads refusals; `simulator` plays the service in tests.
"""
