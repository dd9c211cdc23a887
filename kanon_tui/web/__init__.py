"""The application in a web browser: the server and its page.

May import: nothing of Kanon. Every browser tab starts the command line in a process of its own.
"""
