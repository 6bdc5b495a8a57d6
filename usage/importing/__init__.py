"""Reading files of calls into an archive (docs/decisions/files.md).

`file_source` opens a file or a member of a ZIP file, and finds its encoding; `file_format` tells CSV from JSON;
`csv_rows` and `json_rows` (with `json_document`) read its rows in bounded memory; `columns` recognises what its columns
mean, and `request_ids` what is no id, both by their `letters`; `row_reader` turns a row into a call. `staging` keeps
the calls in a private file (`work_folder`) until `comparison` counts or stores them.
"""
