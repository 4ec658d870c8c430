"""An asynchronous client of one server."""
