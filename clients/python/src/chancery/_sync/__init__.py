# Made from ../_async/__init__.py by `python3 clients/generate`; changes belong there.
"""An asynchronous client of one server."""
