"""The bills of an organisation at OpenAI, which prove calls of other archives (docs/sources/openai-costs.md).

`traits` says what it gives, `reader` asks and reads the answers, `simulator` plays the service in tests.
"""
