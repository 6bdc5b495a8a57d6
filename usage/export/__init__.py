"""Exports of records.

`pieces` reads the records and writes a file in one of the `formats`: `csv_file` with its `header`, `json_lines`,
`parquet_file`; on SQLite, `lines_in_sql` builds the lines. `list_file` writes a part of a list, `record_lines` the
records for the file of an account. `kept_files` keeps CSV files in the data folder, and `concurrency_limit` limits how
many exports run at once.
"""
