"""The command-line client of the JSON API: `usage-archive summary`, `records`, `status` and others (docs/client.md).

`main` runs one `verb` and ends with its `outcome`. `arguments` and `access` say what is asked and of whom, `connection`
asks the server, `answer_shapes` describes what its answers must have. `reads`, `records`, `export`, `collect` and
`status` are the verbs, `checks` finds what is wrong with an account. `screen` and `tables` show what came, `signals`
says what Ctrl-C does. Nothing here loads Django, so that a status bar can run it each minute.
"""
