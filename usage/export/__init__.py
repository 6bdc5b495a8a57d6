"""The CSV export.

`csv_file` writes the lines below the `header`, `views` streams them to a browser, `kept_files` keeps them in the data
folder, and `concurrency_limit` limits how many exports run at once.
"""
