"""`manage.py up`: the supervisor of the web server and the workers, and their processes."""
