"""Asking a service over HTTP, whatever its kind (docs/sources.md#the-interface).

`asking` sends a request until it is answered, `wire` keeps the connection, `exchange` is what they exchange.
`numbered_pages` asks for the pages of a span by their number. `answer_json` reads the JSON of an answer, `unusable`
gives the failure for one that is none of a contract, and `concealment` keeps secrets out of it. `public_hosts` refuses
the hosts of private networks. `simulator_server` answers for a simulated service.
"""
