"""`manage.py up`: the supervisor, and the processes of the web server and the workers."""
