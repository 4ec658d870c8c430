# Made from ../_async/names.py by `python3 clients/generate`; changes belong there.
"""Objects by name where a call wants their uuids."""

from __future__ import annotations

from collections.abc import Iterator, Awaitable, Callable
from typing import Any

from .._wire import UUID
from ..errors import NoSuchName
from .operations import Caller, Operations


class Names(Operations):
    """Finds objects by their names, and remembers what it found."""

    def __init__(self, caller: Caller) -> None:
        super().__init__(caller)
        self._known: dict[tuple[str, str], str] = {}

    def every(self, listing: Callable[..., Any], *path: str, **query: Any) -> Iterator[Any]:
        """All items of a list, fetched page by page: `client.every(client.keys.list, search="cards")`."""
        query = {"pageSize": 1000, **query}
        while True:
            page = listing(*path, **query)
            for item in page.get("results", page.get("items", [])):
                yield item
            if not page.get("next"):
                return
            query["after"] = page["next"]

    def profile_uuid(self, name: str) -> str:
        """The uuid of the token profile with this name; a uuid is answered as it is."""
        return self._uuid("token profile", name, self.token_profiles.list)

    def service_uuid(self, name: str) -> str:
        """The uuid of the service with this name; a uuid is answered as it is."""
        return self._uuid("service", name, self.services.list_stubs)

    def cert_profile_uuid(self, name: str) -> str:
        """The uuid of the certificate profile with this name; a uuid is answered as it is."""
        return self._uuid("certificate profile", name, self.cert_profiles.list)

    def key_type_uuid(self, name: str) -> str:
        """The uuid of the key type with this name; a uuid is answered as it is."""
        return self._uuid("key type", name, self.key_types.list)

    def issuer_uuid(self, name: str) -> str:
        """The uuid of the trusted authority with this name that is valid; a uuid is answered as it is."""
        if UUID.match(name):
            return name
        found = [one for one in self.every(self.certificates.list, name=name, status="Valid")]
        return only("authority", name, [one for one in found if one["trusted"]])

    def _uuid(self, kind: str, name: str, listing: Callable[..., Any]) -> str:
        if UUID.match(name):
            return name
        if (kind, name) not in self._known:
            found = [one for one in self.every(listing, search=name)]
            self._known[kind, name] = only(kind, name, found)
        return self._known[kind, name]


def only(kind: str, name: str, stubs: list[Any]) -> str:
    """The one of these that has exactly this name, without regard to letter case."""
    found = [one["objInfo"]["uuid"] for one in stubs if one["objInfo"]["name"].casefold() == name.casefold()]
    if len(found) != 1:
        raise NoSuchName(f"there are {len(found)} objects of the kind {kind} with the name {name!r}; name it by its uuid")
    uuid: str = found[0]
    return uuid
