"""The application in a web browser."""
