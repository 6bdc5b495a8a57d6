"""Exports of records.

`pieces` reads the records and writes a file in one of the `formats`: `csv_file`, `json_lines`, `parquet_file`. `views`
streams it to a browser, `kept_files` keeps CSV files in the data folder, and `concurrency_limit` limits how many
exports run at once.
"""
