"""Archives of files that services give their users, which are imported and never asked for (docs/sources/files.md).

`traits` says so; the rows are read by `usage/importing/service_files`.
"""
