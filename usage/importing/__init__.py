"""Reading files of calls into an archive (docs/decisions/files.md).

`uploaded_file` receives a file. `file_source` opens it or one of its `zip_members`, in the encoding that `encodings`
finds (`common_characters`). `file_format` reads its rows with `csv_rows` or `json_rows` (`json_document`), and raises
`unreadable_file`. `columns` recognises what its columns mean, by their `letters`. `row_reader` turns a row into a
`call_row`, with `request_ids`, `numbers` and `times` as `csv_notation` finds them in all rows; `damaged_cells` and
`lost_characters` find what other programs damaged. `service_files` have forms of their own, whose rows may be
`replaced_rows` later. `staging` keeps the calls in a `work_folder` until `comparison`
counts or stores them; `filed_bills` does so with sums of days. `api_types` has the types of the answers.
"""
