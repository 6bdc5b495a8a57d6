"""A running instance under random requests: `make fuzz`.

`values` holds what parameters may hold, `shapes` makes requests of it, `target` is the instance under test, and
`attack` sends the requests and checks the answers. `filling` and `newcomers` make its accounts.
"""
