"""Nodes of one instance that are killed at random points, on a PostgreSQL that is restarted.

`instance` starts and kills nodes, `upstream` is the simulator, `clients` read and write through the web nodes,
`disturbances` are the kills, `checks` and `limits` compare what is there at the end with what was served.
"""
