"""Records and what is computed from them: ingest, sums, search, exports, and the pages and API that show them."""
