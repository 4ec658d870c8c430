# Made from docs/openapi.json by `python3 clients/generate`; changes belong there.
"""Every operation of the interface as a method, in groups."""

from __future__ import annotations

from typing import Any, Literal, Protocol, Unpack, cast

from .. import types
from .._wire import Call, segment


class AsyncCaller(Protocol):
    async def call(self, call: Call) -> Any:
        """Sends it and answers what the answer says."""
        ...


class AsyncReports:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def activity(
        self,
    ) -> types.Activity:
        """How much all servers together have tokenized, detokenized, signed and issued in each hour of the last day. Needs a login.

        `GET /api/v2/activity`
        """
        call = Call(
            "GET", "/api/v2/activity",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Activity", await self._caller.call(call))

    async def access(
        self,
        *,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
        identityUuid: types.IdentityId | None = None,
        objectUuid: types.ObjectId | None = None,
        right: types.AccessRight | None = None,
        asOf: str | None = None,
    ) -> types.AccessReport:
        """Who can tokenize, detokenize, sign, approve and administer now, by identity: with the role that lets them, and the mask. With
        `asOf` as it was at that moment, made of the audit records since. Needs Audit:Read.

        `GET /api/v2/reports/access`

        `pageSize`: Identities a page, 1 to 1,000; a page may have fewer, where they can do very much.

        `after`: The `next` of an answer to the same query.

        `search`: A case-insensitive part of the identities' names.

        `identityUuid`: Only this identity.

        `objectUuid`: Only what concerns this token profile.

        `right`: Only this right.

        `asOf`: As it was at this moment (RFC 3339), up to now and not before the first audit record; absent is now.
        """
        call = Call(
            "GET", "/api/v2/reports/access",
            kind="envelope",
            query={"pageSize": pageSize, "after": after, "search": search, "identityUuid": identityUuid, "objectUuid": objectUuid, "right": right, "asOf": asOf},
            repeatable=True,
        )
        return cast("types.AccessReport", await self._caller.call(call))

    async def access_effect(
        self,
        **body: Unpack[types.AccessChange],
    ) -> types.AccessEffect:
        """Who would gain and who would lose what by a change that is not made yet, in the words of the call that makes it. Nothing is
        changed; what the change would be refused for is refused here. Needs what the change needs, or Audit:Read. With `since`, who
        has gained and lost what by everything that changed since a moment; needs Audit:Read.

        `POST /api/v2/reports/access/effect`
        """
        call = Call(
            "POST", "/api/v2/reports/access/effect",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.AccessEffect", await self._caller.call(call))


class AsyncAudit:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        from_: str | None = None,
        to: str | None = None,
        action: types.Action | None = None,
        outcome: types.ErrorCode | None = None,
        identityUuid: types.IdentityId | None = None,
        objectUuid: types.ObjectId | None = None,
        nodeUuid: types.ObjectId | None = None,
        concerns: types.Concern | None = None,
    ) -> types.AuditRecordItems:
        """The audit records, the newest first. Needs Audit:Read.

        `GET /api/v2/audit`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` the newest 10,000 are answered.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `from_`: Not before this moment (RFC 3339).

        `to`: Before this moment (RFC 3339).

        `action`: What was done or tried.

        `outcome`: How it ended.

        `identityUuid`: In whose name.

        `objectUuid`: On which object.

        `nodeUuid`: Written by which node.

        `concerns`: About what: the actions that have to do with it.
        """
        call = Call(
            "GET", "/api/v2/audit",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "from": from_, "to": to, "action": action, "outcome": outcome, "identityUuid": identityUuid, "objectUuid": objectUuid, "nodeUuid": nodeUuid, "concerns": concerns},
            repeatable=True,
        )
        return cast("types.AuditRecordItems", await self._caller.call(call))

    async def archives(
        self,
        *,
        pageSize: int | None = None,
        after: str | None = None,
    ) -> types.AuditArchiveItems:
        """The archives of audit records that are not at hand any more, the oldest first. Needs Audit:Read.

        `GET /api/v2/audit/archives`

        `pageSize`: Items a page, 1 to 1,000. Without it the first 10,000 are answered.

        `after`: The `next` of an answer.
        """
        call = Call(
            "GET", "/api/v2/audit/archives",
            kind="envelope",
            query={"pageSize": pageSize, "after": after},
            repeatable=True,
        )
        return cast("types.AuditArchiveItems", await self._caller.call(call))

    async def download_archive(
        self,
        *,
        firstLeaf: int | None = None,
    ) -> bytes:
        """The records of an archive as lines of an export of the ledger, each with its `leaf`: for a place of one's own, and for
        `chancery audit verify --archive` once it was removed here. Needs Audit:Read, and is recorded. The answer has no envelope.

        `GET /api/v2/audit/archives/download`

        `firstLeaf`: The one that begins with this leaf; without it the oldest one, if there is one.
        """
        call = Call(
            "GET", "/api/v2/audit/archives/download",
            kind="bytes",
            query={"firstLeaf": firstLeaf},
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def checkpoint(
        self,
    ) -> types.AuditCheckpoint:
        """The newest checkpoint of the audit ledger, signed, and the key that it is verified with. Needs Audit:Read.

        `GET /api/v2/audit/checkpoint`
        """
        call = Call(
            "GET", "/api/v2/audit/checkpoint",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.AuditCheckpoint", await self._caller.call(call))

    async def export(
        self,
        *,
        from_: str | None = None,
        to: str | None = None,
        action: types.Action | None = None,
        outcome: types.ErrorCode | None = None,
        identityUuid: types.IdentityId | None = None,
        objectUuid: types.ObjectId | None = None,
        nodeUuid: types.ObjectId | None = None,
        concerns: types.Concern | None = None,
        ledger: bool | None = None,
    ) -> bytes:
        """The audit records up to this call, the newest first, a line of JSON each; with `ledger` all of them, the oldest first, and
        what proves that none was changed. Needs Audit:Read, and is recorded. The answer has no envelope; where it cannot be
        finished, the connection breaks off.

        `GET /api/v2/audit/export`

        `from_`: Not before this moment (RFC 3339).

        `to`: Before this moment (RFC 3339).

        `action`: What was done or tried.

        `outcome`: How it ended.

        `identityUuid`: In whose name.

        `objectUuid`: On which object.

        `nodeUuid`: Written by which node.

        `concerns`: About what: the actions that have to do with it.

        `ledger`: With true the whole ledger, for `chancery audit verify`: all records by their numbers, each with its `leaf`, then the
        hashes of the leaves, the checkpoints and the key. No filter may be with it.
        """
        call = Call(
            "GET", "/api/v2/audit/export",
            kind="bytes",
            query={"from": from_, "to": to, "action": action, "outcome": outcome, "identityUuid": identityUuid, "objectUuid": objectUuid, "nodeUuid": nodeUuid, "concerns": concerns, "ledger": ledger},
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def search_journal(
        self,
        **body: Unpack[types.SearchJournal],
    ) -> types.JournalCalls:
        """Who has made or read a token: the calls that had it, the oldest first, from the journal of the server that is asked, and
        which other journals there are. Each question is recorded. Needs Audit:Read.

        `POST /api/v2/audit/journal/search`
        """
        call = Call(
            "POST", "/api/v2/audit/journal/search",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.JournalCalls", await self._caller.call(call))


class AsyncAuditTargets:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.AuditTargetResults:
        """The targets that the audit records are shipped to, and how far each has them. Needs Audit:Read or System:Manage.

        `GET /api/v2/audit/targets`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/audit/targets",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.AuditTargetResults", await self._caller.call(call))

    async def create(
        self,
        **body: Unpack[types.CreateAuditTarget],
    ) -> types.AuditTarget:
        """Makes a target of the audit records. Two persons have to be logged in.

        `POST /api/v2/audit/targets`
        """
        call = Call(
            "POST", "/api/v2/audit/targets",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.AuditTarget", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.AuditTarget:
        """A target of the audit records, and how far it has them; its secret is never answered. Needs Audit:Read or
        System:Manage.

        `GET /api/v2/audit/targets/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/audit/targets/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.AuditTarget", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchAuditTarget],
    ) -> types.AuditTarget:
        """Changes a target of the audit records. Two persons have to be logged in. It is tried again at once, and goes on where it
        was.

        `PATCH /api/v2/audit/targets/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/audit/targets/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.AuditTarget", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes a target of the audit records, and how far it has them. Two persons have to be logged in.

        `DELETE /api/v2/audit/targets/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/audit/targets/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def test(
        self,
        uuid: str,
        /,
    ) -> types.AuditTargetTested:
        """Sends the target something that is no record, and answers what came back. It is not sent again. Two persons have to be
        logged in.

        `POST /api/v2/audit/targets/{uuid}/test`
        """
        call = Call(
            "POST", f"/api/v2/audit/targets/{segment(uuid)}/test",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.AuditTargetTested", await self._caller.call(call))


class AsyncIdentities:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        **body: Unpack[types.CreateIdentity],
    ) -> types.IdentityCreated:
        """Makes a person or an application. Needs Identity:Manage, and every permission of the roles given.

        `POST /api/v2/identities`
        """
        call = Call(
            "POST", "/api/v2/identities",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.IdentityCreated", await self._caller.call(call))

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.IdentityStubResults:
        """The identities that there are.

        `GET /api/v2/identities/stubs`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/identities/stubs",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.IdentityStubResults", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.Identity:
        """An identity. Needs Identity:Manage.

        `GET /api/v2/identities/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/identities/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Identity", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchIdentity],
    ) -> types.Identity:
        """Renames an identity or replaces its roles. Needs Identity:Manage, and every permission of the roles added. What is
        withdrawn ends at once, also in live sessions; what is added needs a new login.

        `PATCH /api/v2/identities/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/identities/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.Identity", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Deletes an identity and ends its sessions. Needs Identity:Manage.

        `DELETE /api/v2/identities/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/identities/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def lock(
        self,
        uuid: str,
        /,
    ) -> types.Identity:
        """Locks an identity: its sessions end, and it cannot log in. Needs Identity:Manage.

        `POST /api/v2/identities/{uuid}/lock`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/lock",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Identity", await self._caller.call(call))

    async def set_password(
        self,
        uuid: str,
        /,
        **body: Unpack[types.NewPassword],
    ) -> types.Identity:
        """Sets an identity's password and ends its sessions. A session of this identity alone may set its own; others need
        Identity:Manage, and every permission that the identity holds. With `oneTime` it logs nobody in, and sets another one.

        `POST /api/v2/identities/{uuid}/password`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/password",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Identity", await self._caller.call(call))

    async def reset_totp(
        self,
        uuid: str,
        /,
    ) -> types.Identity:
        """Takes an identity's second factor away, for somebody who has lost it, and ends its sessions. Needs Identity:Manage, and
        every permission that the identity holds.

        `DELETE /api/v2/identities/{uuid}/totp`
        """
        call = Call(
            "DELETE", f"/api/v2/identities/{segment(uuid)}/totp",
            kind="envelope",
        )
        return cast("types.Identity", await self._caller.call(call))

    async def unlock(
        self,
        uuid: str,
        /,
    ) -> types.Identity:
        """Unlocks an identity and forgives its wrong passwords. Needs Identity:Manage.

        `POST /api/v2/identities/{uuid}/unlock`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/unlock",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Identity", await self._caller.call(call))

    async def whoami(
        self,
    ) -> types.WhoAmI:
        """Who makes the call: identities, roles, permissions, how they logged in, and when the session ends. Needs a login.

        `GET /api/v2/whoami`
        """
        call = Call(
            "GET", "/api/v2/whoami",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.WhoAmI", await self._caller.call(call))


class AsyncApiKeys:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        uuid: str,
        /,
    ) -> types.ApiKeys:
        """All API keys of an identity, by name. A session of this identity alone that no key began may ask for its own; others
        need Identity:Manage.

        `GET /api/v2/identities/{uuid}/api-keys`
        """
        call = Call(
            "GET", f"/api/v2/identities/{segment(uuid)}/api-keys",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.ApiKeys", await self._caller.call(call))

    async def create(
        self,
        uuid: str,
        /,
        **body: Unpack[types.CreateApiKey],
    ) -> types.ApiKeyCreated:
        """Makes an API key; its secret is answered this once. A session of one person alone that began with a password may make
        its own; others need Identity:Manage, and every permission that the identity holds.

        `POST /api/v2/identities/{uuid}/api-keys`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/api-keys",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.ApiKeyCreated", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        keyUuid: str,
        /,
        **body: Unpack[types.PatchApiKey],
    ) -> types.ApiKey:
        """Changes an API key's name, end, networks or scope. A session of one person alone that began with a password may change
        its own; others need Identity:Manage, and every permission that the identity holds.

        `PATCH /api/v2/identities/{uuid}/api-keys/{keyUuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/identities/{segment(uuid)}/api-keys/{segment(keyUuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.ApiKey", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        keyUuid: str,
        /,
    ) -> types.Empty:
        """Deletes an API key, and ends the sessions that it began. Whoever shows the key as the bearer of this call may delete it,
        and so may a session of one person alone that began with a password, its own; others need Identity:Manage.

        `DELETE /api/v2/identities/{uuid}/api-keys/{keyUuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/identities/{segment(uuid)}/api-keys/{segment(keyUuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def rotate(
        self,
        uuid: str,
        keyUuid: str,
        /,
        **body: Unpack[types.RotateApiKey],
    ) -> types.ApiKeyCreated:
        """Gives an API key a new secret, which is answered this once. The one of before goes on for a set time. Whoever shows the
        key as the bearer of this call may rotate it, and so may a session of one person alone that began with a password, its
        own; others need Identity:Manage, and every permission that the identity holds.

        `POST /api/v2/identities/{uuid}/api-keys/{keyUuid}/rotate`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/api-keys/{segment(keyUuid)}/rotate",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.ApiKeyCreated", await self._caller.call(call))


class AsyncMailboxes:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.PersonalMailbox:
        """Where an identity has what concerns it sent by e-mail; nowhere, while there is no address. A person that sits in the session may ask for its own; others
        need Identity:Manage.

        `GET /api/v2/identities/{uuid}/mailbox`
        """
        call = Call(
            "GET", f"/api/v2/identities/{segment(uuid)}/mailbox",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.PersonalMailbox", await self._caller.call(call))

    async def set(
        self,
        uuid: str,
        /,
        **body: Unpack[types.SetMailbox],
    ) -> types.PersonalMailbox:
        """Sets where one's own notices go. To another address than the confirmed one a code is mailed, and it counts once that was
        entered; until then all stays as it is. Only a person that sits in the session, logged in by a password, and nobody for
        another. One code a minute, and five an hour.

        `PUT /api/v2/identities/{uuid}/mailbox`
        """
        call = Call(
            "PUT", f"/api/v2/identities/{segment(uuid)}/mailbox",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.PersonalMailbox", await self._caller.call(call))

    async def remove(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes a mailbox, and what waits for it. A person that sits in the session may remove its own; others need
        Identity:Manage.

        `DELETE /api/v2/identities/{uuid}/mailbox`
        """
        call = Call(
            "DELETE", f"/api/v2/identities/{segment(uuid)}/mailbox",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def confirm(
        self,
        uuid: str,
        /,
        **body: Unpack[types.ConfirmMailbox],
    ) -> types.PersonalMailbox:
        """Confirms a new address by the code that was mailed to it: from now on notices go there. A code is good for 15 minutes
        and five tries. Only the person whose mailbox it is, logged in by a password.

        `POST /api/v2/identities/{uuid}/mailbox/confirm`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/mailbox/confirm",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.PersonalMailbox", await self._caller.call(call))


class AsyncPasskeys:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        uuid: str,
        /,
    ) -> types.Passkeys:
        """All passkeys of an identity, by name. A person that sits in the session may ask for its own; others need Identity:Manage.

        `GET /api/v2/identities/{uuid}/passkeys`
        """
        call = Call(
            "GET", f"/api/v2/identities/{segment(uuid)}/passkeys",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Passkeys", await self._caller.call(call))

    async def enrol(
        self,
        uuid: str,
        /,
        **body: Unpack[types.EnrolPasskey],
    ) -> types.Passkey:
        """Enrols a passkey that the browser has made. It signs nothing before a second person has confirmed it. Only a person that
        sits in the session, logged in by no program, and nobody for another.

        `POST /api/v2/identities/{uuid}/passkeys`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/passkeys",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Passkey", await self._caller.call(call))

    async def begin(
        self,
        uuid: str,
        /,
    ) -> types.PasskeyBegun:
        """What the browser is to be asked for, so that it makes a passkey. Nothing is kept of it. Only a person that sits in the
        session, logged in by no program, and nobody for another. The server has to know the DNS name by which browsers reach it
        (`--public-origin`).

        `POST /api/v2/identities/{uuid}/passkeys/begin`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/passkeys/begin",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.PasskeyBegun", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        passkeyUuid: str,
        /,
        **body: Unpack[types.PatchPasskey],
    ) -> types.Passkey:
        """Renames a passkey. A person that sits in the session may rename its own; others need Identity:Manage.

        `PATCH /api/v2/identities/{uuid}/passkeys/{passkeyUuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/identities/{segment(uuid)}/passkeys/{segment(passkeyUuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.Passkey", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        passkeyUuid: str,
        /,
    ) -> types.Empty:
        """Deletes a passkey. What it signed stays. A person that sits in the session may delete its own; others need
        Identity:Manage.

        `DELETE /api/v2/identities/{uuid}/passkeys/{passkeyUuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/identities/{segment(uuid)}/passkeys/{segment(passkeyUuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def confirm(
        self,
        uuid: str,
        passkeyUuid: str,
        /,
        **body: Unpack[types.ConfirmPasskey],
    ) -> types.Passkey:
        """Confirms a passkey, so that it signs. Needs Identity:Manage, and every permission that the identity holds; in the session is a
        person who had no part in the enrolment, and has held Identity:Manage since before it.

        `POST /api/v2/identities/{uuid}/passkeys/{passkeyUuid}/confirm`
        """
        call = Call(
            "POST", f"/api/v2/identities/{segment(uuid)}/passkeys/{segment(passkeyUuid)}/confirm",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Passkey", await self._caller.call(call))


class AsyncIdentityBindings:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
        identityUuid: types.IdentityId | None = None,
    ) -> types.IdentityBindingResults:
        """Whose tokens of identity providers stand for which identities. Needs Identity:Manage.

        `GET /api/v2/identity-bindings`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.

        `identityUuid`: Those of this identity.
        """
        call = Call(
            "GET", "/api/v2/identity-bindings",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search, "identityUuid": identityUuid},
            repeatable=True,
        )
        return cast("types.IdentityBindingResults", await self._caller.call(call))

    async def create(
        self,
        **body: Unpack[types.CreateIdentityBinding],
    ) -> types.IdentityBinding:
        """Has tokens of an identity provider stand for an identity. Needs Identity:Manage, and every permission that the identity
        holds.

        `POST /api/v2/identity-bindings`
        """
        call = Call(
            "POST", "/api/v2/identity-bindings",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.IdentityBinding", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.IdentityBinding:
        """A binding of an identity to tokens of a provider. Needs Identity:Manage.

        `GET /api/v2/identity-bindings/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/identity-bindings/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.IdentityBinding", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes a binding, and ends the sessions of its identity. Needs Identity:Manage.

        `DELETE /api/v2/identity-bindings/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/identity-bindings/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))


class AsyncIdentityProviders:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.IdentityProviderResults:
        """The identity providers whose tokens are taken. Needs Identity:Manage.

        `GET /api/v2/identity-providers`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/identity-providers",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.IdentityProviderResults", await self._caller.call(call))

    async def create(
        self,
        **body: Unpack[types.CreateIdentityProvider],
    ) -> types.IdentityProvider:
        """Has the tokens of an identity provider taken, once identities are bound to some of them. Needs Identity:Manage, which
        takes two persons.

        `POST /api/v2/identity-providers`
        """
        call = Call(
            "POST", "/api/v2/identity-providers",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.IdentityProvider", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.IdentityProvider:
        """An identity provider. Needs Identity:Manage.

        `GET /api/v2/identity-providers/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/identity-providers/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.IdentityProvider", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchIdentityProvider],
    ) -> types.IdentityProvider:
        """Changes an identity provider, and ends the sessions of all identities that are bound to it, unless only its name changes.
        Needs Identity:Manage, and every permission of these identities.

        `PATCH /api/v2/identity-providers/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/identity-providers/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.IdentityProvider", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes an identity provider that no identity is bound to. Needs Identity:Manage.

        `DELETE /api/v2/identity-providers/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/identity-providers/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))


class AsyncKeyTypes:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        **body: Unpack[types.ListQuery],
    ) -> types.KeyTypeStubResults:
        """The key types, by name; page and filter are members of the body, which may be empty.

        `POST /api/v2/key-types/stubs`
        """
        call = Call(
            "POST", "/api/v2/key-types/stubs",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.KeyTypeStubResults", await self._caller.call(call))


class AsyncKeys:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        **body: Unpack[types.CreateKey],
    ) -> types.Key:
        """Makes a data key.

        `POST /api/v2/keys`
        """
        call = Call(
            "POST", "/api/v2/keys",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Key", await self._caller.call(call))

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.KeyStubResults:
        """The keys, by name.

        `GET /api/v2/keys/stubs`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/keys/stubs",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.KeyStubResults", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.Key:
        """A key; its secret is never answered.

        `GET /api/v2/keys/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/keys/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Key", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchKey],
    ) -> types.Key:
        """Renames a key, or changes what it may be used for.

        `PATCH /api/v2/keys/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/keys/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.Key", await self._caller.call(call))

    async def disable(
        self,
        uuid: str,
        /,
    ) -> types.Key:
        """Switches a key off: nothing uses it until it is enabled again.

        `POST /api/v2/keys/{uuid}/disable`
        """
        call = Call(
            "POST", f"/api/v2/keys/{segment(uuid)}/disable",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Key", await self._caller.call(call))

    async def enable(
        self,
        uuid: str,
        /,
    ) -> types.Key:
        """Switches a key on again.

        `POST /api/v2/keys/{uuid}/enable`
        """
        call = Call(
            "POST", f"/api/v2/keys/{segment(uuid)}/enable",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Key", await self._caller.call(call))

    async def rotate(
        self,
        uuid: str,
        /,
    ) -> types.Key:
        """Adds a version to a data key. A token profile that uses it goes on with the version that it names, until its
        keyVersion is changed.

        `POST /api/v2/keys/{uuid}/rotate`
        """
        call = Call(
            "POST", f"/api/v2/keys/{segment(uuid)}/rotate",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Key", await self._caller.call(call))


class AsyncNoticeTargets:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.NoticeTargetResults:
        """The targets of notices, with what became of their notices.

        `GET /api/v2/notice-targets`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/notice-targets",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.NoticeTargetResults", await self._caller.call(call))

    async def create(
        self,
        **body: Unpack[types.CreateNoticeTarget],
    ) -> types.NoticeTarget:
        """Makes a target of notices. Two persons have to be logged in.

        `POST /api/v2/notice-targets`
        """
        call = Call(
            "POST", "/api/v2/notice-targets",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.NoticeTarget", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.NoticeTarget:
        """A target of notices; its secret is never answered.

        `GET /api/v2/notice-targets/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/notice-targets/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.NoticeTarget", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchNoticeTarget],
    ) -> types.NoticeTarget:
        """Changes a target of notices. Two persons have to be logged in. It is tried again at once.

        `PATCH /api/v2/notice-targets/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/notice-targets/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.NoticeTarget", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes a target of notices, and what waits for it. Two persons have to be logged in.

        `DELETE /api/v2/notice-targets/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/notice-targets/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def test(
        self,
        uuid: str,
        /,
    ) -> types.NoticeTested:
        """Sends a notice of the kind `Test` to the target at once, and answers what came back. It is not stored, and not sent
        again. Two persons have to be logged in.

        `POST /api/v2/notice-targets/{uuid}/test`
        """
        call = Call(
            "POST", f"/api/v2/notice-targets/{segment(uuid)}/test",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.NoticeTested", await self._caller.call(call))


class AsyncNotices:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        kind: types.NoticeKind | None = None,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
    ) -> types.NoticeItems:
        """What happened, the newest first, as far as the caller may see what it is about: approvers see all of requests and
        proposals, submitters the own ones, everybody certificates, and who administers the server everything.

        `GET /api/v2/notices`

        `kind`: Only those of this kind.

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.
        """
        call = Call(
            "GET", "/api/v2/notices",
            kind="envelope",
            query={"kind": kind, "page": page, "pageSize": pageSize, "after": after},
            repeatable=True,
        )
        return cast("types.NoticeItems", await self._caller.call(call))

    async def undelivered(
        self,
        *,
        targetUuid: types.NoticeTargetId | None = None,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
    ) -> types.UndeliveredNoticeItems:
        """Notices that wait for their targets, the newest first, with why they failed the last time.

        `GET /api/v2/notices/undelivered`

        `targetUuid`: Only those to this target, or to the mailbox of this identity.

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.
        """
        call = Call(
            "GET", "/api/v2/notices/undelivered",
            kind="envelope",
            query={"targetUuid": targetUuid, "page": page, "pageSize": pageSize, "after": after},
            repeatable=True,
        )
        return cast("types.UndeliveredNoticeItems", await self._caller.call(call))


class AsyncRoles:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        **body: Unpack[types.CreateRole],
    ) -> types.RoleCreated:
        """Makes a role. Needs Identity:Manage, and every permission that the role shall have.

        `POST /api/v2/roles`
        """
        call = Call(
            "POST", "/api/v2/roles",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.RoleCreated", await self._caller.call(call))

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.RoleStubResults:
        """The roles that there are.

        `GET /api/v2/roles/stubs`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/roles/stubs",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.RoleStubResults", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.Role:
        """A role. Needs Identity:Manage.

        `GET /api/v2/roles/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/roles/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Role", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchRole],
    ) -> types.Role:
        """Changes a role of one's own making. Needs Identity:Manage, and every permission that is added.

        `PATCH /api/v2/roles/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/roles/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.Role", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Deletes a role that nobody holds. Needs Identity:Manage.

        `DELETE /api/v2/roles/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/roles/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))


class AsyncSettings:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def get(
        self,
    ) -> types.Settings:
        """The settings of the installation. Needs System:Manage; by a cookie session also while API access is off.

        `GET /api/v2/system/settings`
        """
        call = Call(
            "GET", "/api/v2/system/settings",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Settings", await self._caller.call(call))

    async def update(
        self,
        **body: Unpack[types.PatchSettings],
    ) -> types.Settings:
        """Changes settings. Needs System:Manage; by a cookie session also while API access is off.

        `PATCH /api/v2/system/settings`
        """
        call = Call(
            "PATCH", "/api/v2/system/settings",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.Settings", await self._caller.call(call))


class AsyncTokenProfiles:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        **body: Unpack[types.CreateTokenProfile],
    ) -> types.TokenProfile:
        """Makes a token profile. Needs Tokenization:Manage.

        `POST /api/v2/token-profiles`
        """
        call = Call(
            "POST", "/api/v2/token-profiles",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.TokenProfile", await self._caller.call(call))

    async def preview(
        self,
        **body: Unpack[types.PreviewRequest],
    ) -> types.PreviewAnswer:
        """Tokenizes up to 20 samples as a profile of this draft would, under a key that is thrown away. Samples are neither
        logged nor stored. Needs Tokenization:Manage.

        `POST /api/v2/token-profiles/preview`
        """
        call = Call(
            "POST", "/api/v2/token-profiles/preview",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.PreviewAnswer", await self._caller.call(call))

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.TokenProfileStubResults:
        """The token profiles that there are, by name.

        `GET /api/v2/token-profiles/stubs`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/token-profiles/stubs",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.TokenProfileStubResults", await self._caller.call(call))

    async def template_names(
        self,
    ) -> types.TemplateNames:
        """The names of the built-in templates.

        `GET /api/v2/token-profiles/template/names`
        """
        call = Call(
            "GET", "/api/v2/token-profiles/template/names",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.TemplateNames", await self._caller.call(call))

    async def template(
        self,
        name: str,
        /,
    ) -> types.TokenProfileTemplate:
        """A built-in template: what to send to create a profile, but for the key and the rules.

        `GET /api/v2/token-profiles/template/{name}`
        """
        call = Call(
            "GET", f"/api/v2/token-profiles/template/{segment(name)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.TokenProfileTemplate", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.TokenProfile:
        """A token profile in full; what is read can be written back. Needs Tokenization:Manage.

        `GET /api/v2/token-profiles/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/token-profiles/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.TokenProfile", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchTokenProfile],
    ) -> types.TokenProfile:
        """Changes the members that are sent and checks the whole as create does. Once the profile has made tokens, what would
        make them unreadable is refused. Needs Tokenization:Manage.

        `PATCH /api/v2/token-profiles/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/token-profiles/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.TokenProfile", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes a token profile; nothing can read its tokens any more. Needs Tokenization:Manage.

        `DELETE /api/v2/token-profiles/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/token-profiles/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))

    async def batch_detokenize(
        self,
        uuid: str,
        /,
        **body: Unpack[types.BatchDetokenizeRequest],
    ) -> types.BatchDetokenizationResponse:
        """Turns tokens back into their messages, in the same order. Needs rules for Detokenize (or PartialDetokenize) and for
        Batch.

        `POST /api/v2/token-profiles/{uuid}/batch-detokenize`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/batch-detokenize",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.BatchDetokenizationResponse", await self._caller.call(call))

    async def batch_tokenize(
        self,
        uuid: str,
        /,
        **body: Unpack[types.BatchTokenizeRequest],
    ) -> types.BatchTokenizationResponse:
        """Turns messages into their tokens, in the same order. Needs rules for Tokenize and for Batch.

        `POST /api/v2/token-profiles/{uuid}/batch-tokenize`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/batch-tokenize",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.BatchTokenizationResponse", await self._caller.call(call))

    async def budgets(
        self,
        uuid: str,
        /,
    ) -> types.TokenBudgets:
        """What of the budgets of the profile's Control Rules is used in the windows that are open now. Needs Tokenization:Manage.

        `GET /api/v2/token-profiles/{uuid}/budgets`
        """
        call = Call(
            "GET", f"/api/v2/token-profiles/{segment(uuid)}/budgets",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.TokenBudgets", await self._caller.call(call))

    async def copy(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchTokenProfile],
    ) -> types.TokenProfile:
        """Makes a profile with the members of this one, but for those that are sent; `objInfo.name` is needed. The copy's
        tokens are its own, unless `tweakDomain` is sent. Needs Tokenization:Manage.

        `POST /api/v2/token-profiles/{uuid}/copy`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/copy",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.TokenProfile", await self._caller.call(call))

    async def detokenize(
        self,
        uuid: str,
        /,
        **body: Unpack[types.DetokenizeRequest],
    ) -> types.DetokenizationResponse:
        """Turns a token back into its message: in clear, or masked where only a PartialDetokenize rule allows the caller.

        `POST /api/v2/token-profiles/{uuid}/detokenize`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/detokenize",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.DetokenizationResponse", await self._caller.call(call))

    async def set_permissions(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchPermissions],
    ) -> types.TokenProfile:
        """Replaces all Control Rules of a token profile. Needs Tokenization:Manage.

        `PATCH /api/v2/token-profiles/{uuid}/permissions`
        """
        call = Call(
            "PATCH", f"/api/v2/token-profiles/{segment(uuid)}/permissions",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.TokenProfile", await self._caller.call(call))

    async def rewrap(
        self,
        uuid: str,
        /,
        **body: Unpack[types.RewrapRequest],
    ) -> types.RewrapResponse:
        """Turns tokens of older key versions into tokens of the profile's, in the same order. Needs rules for Detokenize,
        Tokenize and Batch.

        `POST /api/v2/token-profiles/{uuid}/rewrap`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/rewrap",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.RewrapResponse", await self._caller.call(call))

    async def tokenize(
        self,
        uuid: str,
        /,
        **body: Unpack[types.TokenizeRequest],
    ) -> types.TokenizationResponse:
        """Turns a message into its token. Needs a Control Rule for Tokenize, and a key whose usages contain Tokenize.

        `POST /api/v2/token-profiles/{uuid}/tokenize`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/tokenize",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.TokenizationResponse", await self._caller.call(call))

    async def tokenized(
        self,
        uuid: str,
        /,
        **body: Unpack[types.TokenizedRequest],
    ) -> types.TokenizedResponse:
        """Whether a message has a token in a deterministic Random profile; none is made. Needs a Control Rule for Detokenize.

        `POST /api/v2/token-profiles/{uuid}/tokenized`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/tokenized",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.TokenizedResponse", await self._caller.call(call))

    async def delete_token(
        self,
        uuid: str,
        /,
        **body: Unpack[types.TokenRequest],
    ) -> types.Empty:
        """Removes a token of a Random profile, and its message with it; nothing brings them back. Needs Tokenization:Manage.

        `POST /api/v2/token-profiles/{uuid}/tokens/delete`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/tokens/delete",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Empty", await self._caller.call(call))

    async def read_token(
        self,
        uuid: str,
        /,
        **body: Unpack[types.TokenRequest],
    ) -> types.TokenRecord:
        """Metadata and times of a token of a Random profile, without its message. Needs a Control Rule for Detokenize.

        `POST /api/v2/token-profiles/{uuid}/tokens/read`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/tokens/read",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.TokenRecord", await self._caller.call(call))

    async def track_detokenize(
        self,
        uuid: str,
        /,
        **body: Unpack[types.TrackDetokenizeRequest],
    ) -> types.TrackDetokenizationResponse:
        """Puts the account number back into tokenized track data. Needs a rule for Detokenize; a partial one is not enough.

        `POST /api/v2/token-profiles/{uuid}/track-detokenize`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/track-detokenize",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.TrackDetokenizationResponse", await self._caller.call(call))

    async def track_tokenize(
        self,
        uuid: str,
        /,
        **body: Unpack[types.TrackTokenizeRequest],
    ) -> types.TrackTokenizationResponse:
        """Puts a token in the place of the account number of payment card track data (ISO/IEC 7813); the rest stays byte for
        byte, a check character is recomputed. Needs a rule for Tokenize.

        `POST /api/v2/token-profiles/{uuid}/track-tokenize`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/track-tokenize",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.TrackTokenizationResponse", await self._caller.call(call))


class AsyncGrants:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        uuid: str,
        /,
        *,
        waiting: bool | None = None,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.DetokenizeGrantItems:
        """The grants of the profile, and the requests for them, by their reasons: those of the caller; with Signing:Approve,
        Tokenization:Manage or Audit:Read all of them.

        `GET /api/v2/token-profiles/{uuid}/grants`

        `waiting`: With `true`, only those that wait for approvals.

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the reason.
        """
        call = Call(
            "GET", f"/api/v2/token-profiles/{segment(uuid)}/grants",
            kind="envelope",
            query={"waiting": waiting, "page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.DetokenizeGrantItems", await self._caller.call(call))

    async def request(
        self,
        uuid: str,
        /,
        **body: Unpack[types.RequestGrant],
    ) -> types.Proposed:
        """Asks for approvals of detokenizing in full: of listed tokens, or of any of the profile, so many values for so long.
        Needs a Control Rule for Detokenize that demands approvals.

        `POST /api/v2/token-profiles/{uuid}/grants`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/grants",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        grantUuid: str,
        /,
    ) -> types.DetokenizeGrant:
        """One grant, with how much of it is used. For those who asked for it; others need Signing:Approve, Tokenization:Manage or
        Audit:Read.

        `GET /api/v2/token-profiles/{uuid}/grants/{grantUuid}`
        """
        call = Call(
            "GET", f"/api/v2/token-profiles/{segment(uuid)}/grants/{segment(grantUuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.DetokenizeGrant", await self._caller.call(call))

    async def revoke(
        self,
        uuid: str,
        grantUuid: str,
        /,
        **body: Unpack[types.DecideRequest],
    ) -> types.Proposed:
        """Ends a grant at once, on every server, or the request for one. For those who asked for it; others need Signing:Approve
        or Tokenization:Manage.

        `POST /api/v2/token-profiles/{uuid}/grants/{grantUuid}/revoke`
        """
        call = Call(
            "POST", f"/api/v2/token-profiles/{segment(uuid)}/grants/{segment(grantUuid)}/revoke",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))


class AsyncCertificates:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        search: str | None = None,
        name: str | None = None,
        serialNumber: str | None = None,
        issuer: types.CertificateId | None = None,
        status: Literal["Valid", "Revoked", "Held", "Expired"] | None = None,
        keyAlgorithm: Literal["Rsa", "Ec", "Ed25519", "MlDsa", "Aes", "Hmac"] | None = None,
        expiresBefore: str | None = None,
        pageSize: int | None = None,
        after: str | None = None,
    ) -> types.CertificatePage:
        """The certificates that the query asks for, by name. Pages follow each other by `next`.

        `GET /api/v2/x509`

        `search`: A case-insensitive part of the subject. Certificates are looked through in the order of the list, some thousand a
        call: a page may be short, and `next` goes on.

        `name`: How the name, the subject's common name, begins, in any letter case. It is found at once.

        `serialNumber`: The serial number in hexadecimal digits, of the issuer named or of any authority that issues here.

        `issuer`: What issued it.

        `status`: Where it stands.

        `keyAlgorithm`: The algorithm family of its key.

        `expiresBefore`: It ends before this moment: RFC 3339, such as `2027-01-01T00:00:00Z`. The list then is in the order of the ends.

        `pageSize`: Certificates a page, 1 to 1,000; by default 50.

        `after`: The `next` of the page before.
        """
        call = Call(
            "GET", "/api/v2/x509",
            kind="envelope",
            query={"search": search, "name": name, "serialNumber": serialNumber, "issuer": issuer, "status": status, "keyAlgorithm": keyAlgorithm, "expiresBefore": expiresBefore, "pageSize": pageSize, "after": after},
            repeatable=True,
        )
        return cast("types.CertificatePage", await self._caller.call(call))

    async def export_crls(
        self,
        *,
        issuer: types.CertificateId | None = None,
        format: Literal["pem", "der"] | None = None,
    ) -> bytes:
        """The newest revocation lists of all authorities whose keys are here, one after the other in PEM; or that of one, in PEM or
        DER. The answer has no envelope.

        `GET /api/v2/x509/crls/export`

        `issuer`: Only the list of this authority; by default those of all.

        `format`: The form; by default `pem`. `der` needs `issuer`.
        """
        call = Call(
            "GET", "/api/v2/x509/crls/export",
            kind="bytes",
            query={"issuer": issuer, "format": format},
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def generate(
        self,
        **body: Unpack[types.GenerateCertificate],
    ) -> types.Issued:
        """Makes a certificate with a new key: self-signed, or issued by a trusted authority.

        Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.

        `POST /api/v2/x509/generate`
        """
        call = Call(
            "POST", "/api/v2/x509/generate",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Issued", await self._caller.call(call))

    async def import_certificates(
        self,
        **body: Unpack[types.ImportCertificates],
    ) -> types.Imported:
        """Takes certificates that were issued elsewhere into the inventory, without keys. Needs CertManage:Manage.

        `POST /api/v2/x509/import`
        """
        call = Call(
            "POST", "/api/v2/x509/import",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Imported", await self._caller.call(call))

    async def import_authority(
        self,
        **body: Unpack[types.ImportAuthority],
    ) -> types.Imported:
        """Takes a certificate authority in with its private key; it issues here from then on. Needs CertManage:Export, and a
        session of two people.

        `POST /api/v2/x509/import-key`
        """
        call = Call(
            "POST", "/api/v2/x509/import-key",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Imported", await self._caller.call(call))

    async def request(
        self,
        **body: Unpack[types.RequestCertificate],
    ) -> types.Issued:
        """Issues a certificate for the key of a PKCS#10 request. Needs CertManage:Generate.

        Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.

        `POST /api/v2/x509/requests`
        """
        call = Call(
            "POST", "/api/v2/x509/requests",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Issued", await self._caller.call(call))

    async def approve_request(
        self,
        uuid: str,
        /,
        **body: Unpack[types.ApproveRequest],
    ) -> types.Proposed:
        """Approves a proposal, as `POST /api/v2/x509/proposals/{uuid}/approve` does. Needs Signing:Approve.

        `POST /api/v2/x509/requests/{uuid}/approve`
        """
        call = Call(
            "POST", f"/api/v2/x509/requests/{segment(uuid)}/approve",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.Certificate:
        """A certificate and where it stands.

        `GET /api/v2/x509/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/x509/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Certificate", await self._caller.call(call))

    async def set_approval(
        self,
        uuid: str,
        /,
        **body: Unpack[types.ApprovalRules],
    ) -> types.IssuerApproval:
        """Says who approves what an authority issues, under whichever profile; `numApprovals` 0 means nobody. Where it demands
        approvals now, so does the change, which is then a proposal. Needs CertManage:Manage.

        `PUT /api/v2/x509/{uuid}/approval`
        """
        call = Call(
            "PUT", f"/api/v2/x509/{segment(uuid)}/approval",
            kind="envelope",
            body=dict(body),
            repeatable=True,
        )
        return cast("types.IssuerApproval", await self._caller.call(call))

    async def download(
        self,
        uuid: str,
        /,
        *,
        format: Literal["pem", "der", "chain", "pkcs7"] | None = None,
    ) -> bytes:
        """A certificate as a file, alone (`pem`, `der`) or with its issuers (`chain`, `pkcs7`). The answer has no envelope.

        `GET /api/v2/x509/{uuid}/download`

        `format`: The form; by default `pem`.
        """
        call = Call(
            "GET", f"/api/v2/x509/{segment(uuid)}/download",
            kind="bytes",
            query={"format": format},
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def rekey(
        self,
        uuid: str,
        /,
        **body: Unpack[types.RekeyCertificate],
    ) -> types.Issued:
        """Issues a certificate again, for the same names and another key. Needs CertManage:Generate.

        Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.

        `POST /api/v2/x509/{uuid}/rekey`
        """
        call = Call(
            "POST", f"/api/v2/x509/{segment(uuid)}/rekey",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Issued", await self._caller.call(call))

    async def release(
        self,
        uuid: str,
        /,
    ) -> types.Certificate:
        """Releases a certificate that is on hold: it is valid again. Needs CertManage:Manage and two persons.

        `POST /api/v2/x509/{uuid}/release`
        """
        call = Call(
            "POST", f"/api/v2/x509/{segment(uuid)}/release",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Certificate", await self._caller.call(call))

    async def renew(
        self,
        uuid: str,
        /,
        **body: Unpack[types.RenewCertificate],
    ) -> types.Issued:
        """Issues a certificate again, for the same key and names. Needs CertManage:Generate.

        Where the profile or the issuer demands approvals, the answer is the proposal that waits for them.

        `POST /api/v2/x509/{uuid}/renew`
        """
        call = Call(
            "POST", f"/api/v2/x509/{segment(uuid)}/renew",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Issued", await self._caller.call(call))

    async def revoke(
        self,
        uuid: str,
        /,
        **body: Unpack[types.RevokeCertificate],
    ) -> types.Certificate:
        """Revokes a certificate, or puts it on hold (`certificateHold`). Needs CertManage:Generate; for that of an authority, an
        OCSP responder, a time stamp or a service CertManage:Manage and two persons.

        `POST /api/v2/x509/{uuid}/revoke`
        """
        call = Call(
            "POST", f"/api/v2/x509/{segment(uuid)}/revoke",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Certificate", await self._caller.call(call))


class AsyncCertProfiles:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def create(
        self,
        **body: Unpack[types.CreateCertProfile],
    ) -> types.CertProfile:
        """Makes a certificate profile. Needs CertManage:Manage.

        `POST /api/v2/x509/cert-profiles`
        """
        call = Call(
            "POST", "/api/v2/x509/cert-profiles",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.CertProfile", await self._caller.call(call))

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.CertProfileStubResults:
        """The certificate profiles, by name.

        `GET /api/v2/x509/cert-profiles/stubs`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/x509/cert-profiles/stubs",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.CertProfileStubResults", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.CertProfile:
        """A certificate profile in full; what is read can be written back.

        `GET /api/v2/x509/cert-profiles/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/x509/cert-profiles/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.CertProfile", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.PatchCertProfile],
    ) -> types.CertProfile:
        """Changes the members that are sent and checks the whole as create does; what was issued stays as it is. A profile that
        came with Chancery cannot be changed. Needs CertManage:Manage.

        `PATCH /api/v2/x509/cert-profiles/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/x509/cert-profiles/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.CertProfile", await self._caller.call(call))

    async def delete(
        self,
        uuid: str,
        /,
    ) -> types.Empty:
        """Removes a certificate profile that no certificate names; any other can be disabled. Needs CertManage:Manage.

        `DELETE /api/v2/x509/cert-profiles/{uuid}`
        """
        call = Call(
            "DELETE", f"/api/v2/x509/cert-profiles/{segment(uuid)}",
            kind="envelope",
        )
        return cast("types.Empty", await self._caller.call(call))


class AsyncProposals:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def pre_approve(
        self,
        **body: Unpack[types.CreatePreApproval],
    ) -> types.Proposed:
        """Proposes to approve beforehand: a list of digests, or so many requests of one submitter. It serves once it has the
        approvals that its policy demands of requests. Needs Signing:Submit.

        `POST /api/v2/x509/pre-approvals`
        """
        call = Call(
            "POST", "/api/v2/x509/pre-approvals",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))

    async def list(
        self,
        *,
        kind: types.ProposalKind | None = None,
        policyUuid: types.PolicyId | None = None,
        certProfileUuid: types.CertProfileId | None = None,
        issuerUuid: types.CertificateId | None = None,
        tokenProfileUuid: types.TokenProfileId | None = None,
        waiting: bool | None = None,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.ProposalStubItems:
        """The proposals that the caller may see: approvers and deployers all of them, others those that they made or may use.
        Needs Signing:Approve, Services:Deploy, Signing:Submit, CertManage:Generate or CertManage:Manage.

        `GET /api/v2/x509/proposals`

        `kind`: Only proposals of this kind.

        `policyUuid`: Only proposals about this policy.

        `certProfileUuid`: Only proposals about this certificate profile.

        `issuerUuid`: Only proposals about this authority.

        `tokenProfileUuid`: Only proposals about this token profile.

        `waiting`: With `true`, only those that wait for approvals.

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/x509/proposals",
            kind="envelope",
            query={"kind": kind, "policyUuid": policyUuid, "certProfileUuid": certProfileUuid, "issuerUuid": issuerUuid, "tokenProfileUuid": tokenProfileUuid, "waiting": waiting, "page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.ProposalStubItems", await self._caller.call(call))

    async def batch_decide(
        self,
        **body: Unpack[types.BatchDecideProposals],
    ) -> types.BatchDecidedProposals:
        """Approves or denies many proposals, each by itself: what is refused for one leaves the others as they are. Needs
        Signing:Approve; to deny own ones, what it took to make them.

        `POST /api/v2/x509/proposals/batch-approve-deny`
        """
        call = Call(
            "POST", "/api/v2/x509/proposals/batch-approve-deny",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.BatchDecidedProposals", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.Proposal:
        """One proposal in full, with the text that is approved, and the uses of a pre-approval. Needs Signing:Approve,
        Services:Deploy, Signing:Submit, CertManage:Generate or CertManage:Manage.

        `GET /api/v2/x509/proposals/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/x509/proposals/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Proposal", await self._caller.call(call))

    async def approval_statement(
        self,
        uuid: str,
        /,
    ) -> types.ApprovalStatements:
        """What each member of the session signs with a passkey to approve the proposal, where that is demanded. Nothing is kept of
        it, and it is good for some minutes, in this session, once. Refused where an approval would be. Needs Signing:Approve.

        `GET /api/v2/x509/proposals/{uuid}/approval-statement`
        """
        call = Call(
            "GET", f"/api/v2/x509/proposals/{segment(uuid)}/approval-statement",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.ApprovalStatements", await self._caller.call(call))

    async def approve(
        self,
        uuid: str,
        /,
        **body: Unpack[types.ApproveRequest],
    ) -> types.Proposed:
        """Approves a proposal in the name of all identities of the session. The last approval that is needed puts it into
        effect. Needs Signing:Approve.

        `POST /api/v2/x509/proposals/{uuid}/approve`
        """
        call = Call(
            "POST", f"/api/v2/x509/proposals/{segment(uuid)}/approve",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))

    async def deny(
        self,
        uuid: str,
        /,
        **body: Unpack[types.DecideRequest],
    ) -> types.Proposed:
        """Denies a proposal; one denial is enough. Needs Signing:Approve, or to have made it.

        `POST /api/v2/x509/proposals/{uuid}/deny`
        """
        call = Call(
            "POST", f"/api/v2/x509/proposals/{segment(uuid)}/deny",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))

    async def revoke(
        self,
        uuid: str,
        /,
        **body: Unpack[types.DecideRequest],
    ) -> types.Proposed:
        """Ends a pre-approval that took effect, at once. Needs Signing:Approve, or to have made it.

        `POST /api/v2/x509/proposals/{uuid}/revoke`
        """
        call = Call(
            "POST", f"/api/v2/x509/proposals/{segment(uuid)}/revoke",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))

    async def withdraw(
        self,
        uuid: str,
        /,
        **body: Unpack[types.DecideRequest],
    ) -> types.Proposed:
        """Takes back a proposal that the session's identities made and that waits for approvals. Needs what it
        took to make it.

        `POST /api/v2/x509/proposals/{uuid}/withdraw`
        """
        call = Call(
            "POST", f"/api/v2/x509/proposals/{segment(uuid)}/withdraw",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Proposed", await self._caller.call(call))


class AsyncServices:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.ServiceResults:
        """The services with their signing policies and certificates.

        `GET /api/v2/x509/services`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/x509/services",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.ServiceResults", await self._caller.call(call))

    async def list_stubs(
        self,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
    ) -> types.ServiceStubResults:
        """The services that there are.

        `GET /api/v2/x509/services/stubs`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name.
        """
        call = Call(
            "GET", "/api/v2/x509/services/stubs",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "search": search},
            repeatable=True,
        )
        return cast("types.ServiceStubResults", await self._caller.call(call))

    async def get(
        self,
        serviceUuid: str,
        /,
    ) -> types.Service:
        """A service with its signing policies and its certificate.

        `GET /api/v2/x509/services/{serviceUuid}`
        """
        call = Call(
            "GET", f"/api/v2/x509/services/{segment(serviceUuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.Service", await self._caller.call(call))

    async def update(
        self,
        serviceUuid: str,
        /,
        **body: Unpack[types.ChangeService],
    ) -> types.ChangedService:
        """Changes a time-stamping authority: the policy that its stamps name, and whether it is the one that `/tsa` stands for.
        Needs Services:Deploy. Its certificate is renewed; policies of signing services are changed by themselves.

        `PATCH /api/v2/x509/services/{serviceUuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/x509/services/{segment(serviceUuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.ChangedService", await self._caller.call(call))

    async def get_issuance_policy(
        self,
        serviceUuid: str,
        /,
    ) -> types.IssuancePolicy:
        """The approval that the certificates of a service need: what their issuer demands of everything that it issues.

        `GET /api/v2/x509/services/{serviceUuid}/issuance-policy`
        """
        call = Call(
            "GET", f"/api/v2/x509/services/{segment(serviceUuid)}/issuance-policy",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.IssuancePolicy", await self._caller.call(call))

    async def update_issuance_policy(
        self,
        serviceUuid: str,
        /,
        **body: Unpack[types.PatchIssuancePolicy],
    ) -> types.IssuancePolicy:
        """Changes it, as `PUT /api/v2/x509/{uuid}/approval` of the issuer does: where approvals are demanded now, so does the
        change, which is then a proposal. Needs CertManage:Manage.

        `PATCH /api/v2/x509/services/{serviceUuid}/issuance-policy`
        """
        call = Call(
            "PATCH", f"/api/v2/x509/services/{segment(serviceUuid)}/issuance-policy",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.IssuancePolicy", await self._caller.call(call))

    async def renew(
        self,
        serviceUuid: str,
        /,
        **body: Unpack[types.RenewService],
    ) -> types.RenewedService:
        """Gives a service a new certificate with a new key of the same kind; its uuid and its policies stay. Needs
        Services:Deploy.

        Where the issuer demands approvals, the certificate waits for them, and the service keeps what it has.

        `POST /api/v2/x509/services/{serviceUuid}/renew`
        """
        call = Call(
            "POST", f"/api/v2/x509/services/{segment(serviceUuid)}/renew",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.RenewedService", await self._caller.call(call))

    async def revoke(
        self,
        serviceUuid: str,
        /,
        **body: Unpack[types.RevokeCertificate],
    ) -> types.Certificate:
        """Revokes a service's certificate, or puts it on hold (`certificateHold`); the service then signs no more. Needs
        CertManage:Manage and two persons.

        `POST /api/v2/x509/services/{serviceUuid}/revoke`
        """
        call = Call(
            "POST", f"/api/v2/x509/services/{segment(serviceUuid)}/revoke",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Certificate", await self._caller.call(call))

    async def deploy(
        self,
        **body: Unpack[types.DeployRequest],
    ) -> types.DeployedService:
        """Deploys a signing service: makes its certificate, key and policy. Needs Services:Deploy.

        Where the issuer demands approvals, the certificate waits for them, and the service signs once it has it.

        `POST /cuserv/v1/services/deploy`
        """
        call = Call(
            "POST", "/cuserv/v1/services/deploy",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.DeployedService", await self._caller.call(call))


class AsyncSigningPolicies:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list(
        self,
        serviceUuid: str,
        /,
    ) -> types.SigningPolicyItems:
        """The signing policies of a service.

        `GET /api/v2/x509/services/{serviceUuid}/signing-policies`
        """
        call = Call(
            "GET", f"/api/v2/x509/services/{segment(serviceUuid)}/signing-policies",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.SigningPolicyItems", await self._caller.call(call))

    async def create(
        self,
        serviceUuid: str,
        /,
        **body: Unpack[types.CreateSigningPolicy],
    ) -> types.SigningPolicy:
        """Adds a policy to a service, at least as strict as those that are there. Needs Services:Deploy.

        `POST /api/v2/x509/services/{serviceUuid}/signing-policies`
        """
        call = Call(
            "POST", f"/api/v2/x509/services/{segment(serviceUuid)}/signing-policies",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.SigningPolicy", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
    ) -> types.SigningPolicy:
        """A signing policy.

        `GET /api/v2/x509/signing-policies/{uuid}`
        """
        call = Call(
            "GET", f"/api/v2/x509/signing-policies/{segment(uuid)}",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.SigningPolicy", await self._caller.call(call))

    async def update(
        self,
        uuid: str,
        /,
        **body: Unpack[types.ChangeSigningPolicy],
    ) -> types.SigningPolicy:
        """Changes name, approvals, self-approval and rules of a policy; it is never laxer than the service's policies. Needs
        Services:Deploy.

        `PATCH /api/v2/x509/signing-policies/{uuid}`
        """
        call = Call(
            "PATCH", f"/api/v2/x509/signing-policies/{segment(uuid)}",
            kind="envelope",
            body=dict(body),
        )
        return cast("types.SigningPolicy", await self._caller.call(call))

    async def budgets(
        self,
        uuid: str,
        /,
    ) -> types.PolicyBudgets:
        """What of the policy's budgets is used in the windows that are open now. Needs Services:Deploy.

        `GET /api/v2/x509/signing-policies/{uuid}/budgets`
        """
        call = Call(
            "GET", f"/api/v2/x509/signing-policies/{segment(uuid)}/budgets",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.PolicyBudgets", await self._caller.call(call))


class AsyncSigningRequests:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def list_of_service(
        self,
        serviceUuid: str,
        /,
        *,
        state: types.SigningRequestState | None = None,
        preApprovalUuid: types.ProposalId | None = None,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
        metadata: dict[str, str] | None = None,
    ) -> types.SigningRequestStubItems:
        """The signing requests of a service that the caller may see. Needs Signing:Submit or Signing:Approve.

        `GET /api/v2/x509/services/{serviceUuid}/signing-requests`

        `state`: Only requests in this state.

        `preApprovalUuid`: Only requests that this pre-approval stood in for.

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name, the note, or a value of the metadata.

        `metadata`: Only requests with these in their metadata: `metadata.NAME=VALUE`, several of which all hold.
        """
        call = Call(
            "GET", f"/api/v2/x509/services/{segment(serviceUuid)}/signing-requests",
            kind="envelope",
            query={"state": state, "preApprovalUuid": preApprovalUuid, "page": page, "pageSize": pageSize, "after": after, "search": search, "metadata": metadata},
            repeatable=True,
        )
        return cast("types.SigningRequestStubItems", await self._caller.call(call))

    async def list(
        self,
        *,
        state: types.SigningRequestState | None = None,
        preApprovalUuid: types.ProposalId | None = None,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        search: str | None = None,
        metadata: dict[str, str] | None = None,
    ) -> types.SigningRequestStubItems:
        """The signing requests that the caller may see: approvers all of them, others the own ones. Needs Signing:Submit or
        Signing:Approve.

        `GET /api/v2/x509/signing-requests`

        `state`: Only requests in this state.

        `preApprovalUuid`: Only requests that this pre-approval stood in for.

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000. Without `page` and `pageSize` everything is answered, up to 10,000.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `search`: A case-insensitive part of the name, the note, or a value of the metadata.

        `metadata`: Only requests with these in their metadata: `metadata.NAME=VALUE`, several of which all hold.
        """
        call = Call(
            "GET", "/api/v2/x509/signing-requests",
            kind="envelope",
            query={"state": state, "preApprovalUuid": preApprovalUuid, "page": page, "pageSize": pageSize, "after": after, "search": search, "metadata": metadata},
            repeatable=True,
        )
        return cast("types.SigningRequestStubItems", await self._caller.call(call))

    async def submit(
        self,
        **body: Unpack[types.SubmitRequest],
    ) -> types.Submitted:
        """Submits a payload, or its digest, to be signed. Where the policy needs no approvals it is signed at once. Needs
        Signing:Submit.

        `POST /api/v2/x509/signing-requests`
        """
        call = Call(
            "POST", "/api/v2/x509/signing-requests",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Submitted", await self._caller.call(call))

    async def batch_decide(
        self,
        **body: Unpack[types.BatchDecideRequest],
    ) -> types.BatchDecided:
        """Approves or denies many requests, each by itself: what is refused for one leaves the others as they are. With `digest` it
        is one decision over all of them: where one is refused, or is not as it was shown, none is decided on. Needs
        Signing:Approve; to deny own ones, Signing:Submit.

        `POST /api/v2/x509/signing-requests/batch-approve-deny`
        """
        call = Call(
            "POST", "/api/v2/x509/signing-requests/batch-approve-deny",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.BatchDecided", await self._caller.call(call))

    async def get(
        self,
        uuid: str,
        /,
        *,
        include: Literal["uploadData", "provenance", "contents"] | None = None,
    ) -> types.SigningRequest:
        """One signing request in full, with its signature once it is there. Needs Signing:Approve, or Signing:Submit for the own
        ones.

        `GET /api/v2/x509/signing-requests/{uuid}`

        `include`: `uploadData` for the payload, `provenance` for the envelope of the provenance, `contents` for what is inside of the
        payload, and what is new in a manifest.
        """
        call = Call(
            "GET", f"/api/v2/x509/signing-requests/{segment(uuid)}",
            kind="envelope",
            query={"include": include},
            repeatable=True,
        )
        return cast("types.SigningRequest", await self._caller.call(call))

    async def approval_statement(
        self,
        uuid: str,
        /,
    ) -> types.ApprovalStatements:
        """What each member of the session signs with a passkey to approve the signing request, where that is demanded. Nothing is kept of
        it, and it is good for some minutes, in this session, once. Refused where an approval would be. Needs Signing:Approve.

        `GET /api/v2/x509/signing-requests/{uuid}/approval-statement`
        """
        call = Call(
            "GET", f"/api/v2/x509/signing-requests/{segment(uuid)}/approval-statement",
            kind="envelope",
            repeatable=True,
        )
        return cast("types.ApprovalStatements", await self._caller.call(call))

    async def approve(
        self,
        uuid: str,
        /,
        **body: Unpack[types.ApproveRequest],
    ) -> types.Approved:
        """Approves a request in the name of all identities of the session. The last approval that is needed signs it, and the
        answer then has the signature. Needs Signing:Approve.

        `POST /api/v2/x509/signing-requests/{uuid}/approve`
        """
        call = Call(
            "POST", f"/api/v2/x509/signing-requests/{segment(uuid)}/approve",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Approved", await self._caller.call(call))

    async def deny(
        self,
        uuid: str,
        /,
        **body: Unpack[types.DecideRequest],
    ) -> types.Denied:
        """Denies a request; one denial is enough. Needs Signing:Approve, or Signing:Submit for the own ones.

        `POST /api/v2/x509/signing-requests/{uuid}/deny`
        """
        call = Call(
            "POST", f"/api/v2/x509/signing-requests/{segment(uuid)}/deny",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Denied", await self._caller.call(call))

    async def items(
        self,
        uuid: str,
        /,
        *,
        page: int | None = None,
        pageSize: int | None = None,
        after: str | None = None,
        include: Literal["inclusionProof", "changes"] | None = None,
    ) -> types.SignedItemItems:
        """The items of a manifest in their order, each with its signature once it is there; at most 1,000 at a time. Needs
        Signing:Approve, or Signing:Submit for the own ones.

        `GET /api/v2/x509/signing-requests/{uuid}/items`

        `page`: Page number, from 1.

        `pageSize`: Items a page, 1 to 1,000, which is also the default.

        `after`: In the place of `page`: the `next` of an answer to the same query.

        `include`: `inclusionProof` for the proofs that the signatures are in the transparency log, `changes` for what is new since the
        last manifest.
        """
        call = Call(
            "GET", f"/api/v2/x509/signing-requests/{segment(uuid)}/items",
            kind="envelope",
            query={"page": page, "pageSize": pageSize, "after": after, "include": include},
            repeatable=True,
        )
        return cast("types.SignedItemItems", await self._caller.call(call))

    async def repeat(
        self,
        uuid: str,
        /,
    ) -> types.Submitted:
        """Submits a request that failed, or that waited too long, as a new request of the session. Needs Signing:Submit.

        `POST /api/v2/x509/signing-requests/{uuid}/repeat`
        """
        call = Call(
            "POST", f"/api/v2/x509/signing-requests/{segment(uuid)}/repeat",
            kind="envelope",
            body={},
            keyed=True,
        )
        return cast("types.Submitted", await self._caller.call(call))

    async def download_signed(
        self,
        uuid: str,
        /,
    ) -> bytes:
        """The uploaded file with its signature inside, for the formats that embed. Needs Signing:Approve, or Signing:Submit for
        the own requests. The answer has no envelope.

        `GET /api/v2/x509/signing-requests/{uuid}/signed/download`
        """
        call = Call(
            "GET", f"/api/v2/x509/signing-requests/{segment(uuid)}/signed/download",
            kind="bytes",
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def withdraw(
        self,
        uuid: str,
        /,
        **body: Unpack[types.DecideRequest],
    ) -> types.Denied:
        """Takes back a request that the session's identities submitted and that waits for approvals. Needs Signing:Submit.

        `POST /api/v2/x509/signing-requests/{uuid}/withdraw`
        """
        call = Call(
            "POST", f"/api/v2/x509/signing-requests/{segment(uuid)}/withdraw",
            kind="envelope",
            body=dict(body),
            keyed=True,
        )
        return cast("types.Denied", await self._caller.call(call))


class AsyncPublic:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def certificate(
        self,
        file: str,
        /,
    ) -> bytes:
        """The certificate of a trusted authority, in DER.

        `GET /ca/{file}`
        """
        call = Call(
            "GET", f"/ca/{segment(file)}",
            kind="bytes",
            is_public=True,
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def crl(
        self,
        file: str,
        /,
        *,
        if_none_match: str | None = None,
        if_modified_since: str | None = None,
    ) -> bytes | None:
        """The newest revocation list of an authority, in DER: complete, or what changed since an earlier complete one.

        `GET /crl/{file}`
        """
        call = Call(
            "GET", f"/crl/{segment(file)}",
            kind="bytes",
            headers={"If-None-Match": if_none_match, "If-Modified-Since": if_modified_since},
            is_public=True,
            repeatable=True,
        )
        return cast("bytes | None", await self._caller.call(call))

    async def ocsp(
        self,
        request: bytes,
        /,
    ) -> bytes:
        """Where certificates stand. What cannot be answered is said in the answer, as RFC 6960 wants it.

        `POST /ocsp`
        """
        call = Call(
            "POST", "/ocsp",
            kind="bytes",
            octets=request,
            media_type="application/ocsp-request",
            is_public=True,
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def ocsp_by_path(
        self,
        request: str,
        /,
    ) -> bytes:
        """The same; the request is in the path, in base64 and then URL-encoded. Slashes may be left as they are, since many
        clients do so.

        `GET /ocsp/{request}`
        """
        call = Call(
            "GET", f"/ocsp/{segment(request)}",
            kind="bytes",
            is_public=True,
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def time_stamp(
        self,
        request: bytes,
        /,
    ) -> bytes:
        """A time stamp (RFC 3161) of the default time-stamping authority. What cannot be stamped is said in the answer, as the
        protocol wants it.

        `POST /tsa`
        """
        call = Call(
            "POST", "/tsa",
            kind="bytes",
            octets=request,
            media_type="application/timestamp-query",
            is_public=True,
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def time_stamp_of(
        self,
        serviceUuid: str,
        request: bytes,
        /,
    ) -> bytes:
        """The same, of one authority among several.

        `POST /tsa/{serviceUuid}`
        """
        call = Call(
            "POST", f"/tsa/{segment(serviceUuid)}",
            kind="bytes",
            octets=request,
            media_type="application/timestamp-query",
            is_public=True,
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))


class AsyncServer:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def docs(
        self,
    ) -> str:
        """The same document for people: a page that lists the operations with examples, makes calls, and shows INTERFACE.md.

        `GET /docs`
        """
        call = Call(
            "GET", "/docs",
            kind="text",
            is_public=True,
            repeatable=True,
        )
        return cast("str", await self._caller.call(call))

    async def docs_prose(
        self,
    ) -> str:
        """What the server answers, endpoint by endpoint, in prose (Markdown).

        `GET /docs/interface.md`
        """
        call = Call(
            "GET", "/docs/interface.md",
            kind="text",
            is_public=True,
            repeatable=True,
        )
        return cast("str", await self._caller.call(call))

    async def health(
        self,
    ) -> types.Health:
        """Whether the process answers at all.

        `GET /healthz`
        """
        call = Call(
            "GET", "/healthz",
            kind="json",
            is_public=True,
            repeatable=True,
        )
        return cast("types.Health", await self._caller.call(call))

    async def metrics(
        self,
    ) -> str:
        """The process's counters in Prometheus' text format.

        `GET /metrics`
        """
        call = Call(
            "GET", "/metrics",
            kind="text",
            is_public=True,
            repeatable=True,
        )
        return cast("str", await self._caller.call(call))

    async def openapi(
        self,
    ) -> Any:
        """The OpenAPI 3.1 document of this server.

        `GET /openapi.json`
        """
        call = Call(
            "GET", "/openapi.json",
            kind="json",
            is_public=True,
            repeatable=True,
        )
        return cast("Any", await self._caller.call(call))

    async def readiness(
        self,
    ) -> types.Readiness:
        """Whether the storage answers, the root key is loaded, and the server is not about to stop; says so when the installation is a demonstration.

        `GET /readyz`
        """
        call = Call(
            "GET", "/readyz",
            kind="json",
            is_public=True,
            repeatable=True,
        )
        return cast("types.Readiness", await self._caller.call(call))


class AsyncSession:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def state(
        self,
    ) -> types.SessionAnswer:
        """Where the session stands that the cookie or the token belongs to, and who has logged in on it; nobody, where there is
        none. To ask does not keep a session from running out.

        `GET /home/v1/login`
        """
        call = Call(
            "GET", "/home/v1/login",
            kind="json",
            by_cookie=True,
            repeatable=True,
        )
        return cast("types.SessionAnswer", await self._caller.call(call))

    async def login(
        self,
        **body: Unpack[types.LoginRequest],
    ) -> types.LoginAnswer:
        """Logs an identity in, on the session of the cookie or on a new one. Roles with two logins are complete after the
        second, of another identity. With `authType` `certificate` it is the identity that the client certificate of this connection
        stands for; no other call looks at that. With `ldap` it is the one that an account of a directory stands for.

        `POST /home/v1/login`
        """
        call = Call(
            "POST", "/home/v1/login",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.LoginAnswer", await self._caller.call(call))

    async def exchange(
        self,
        **body: Unpack[types.ExchangeToken],
    ) -> types.TokenExchanged:
        """Exchanges a token of an identity provider that is trusted here for a bearer token of the identity that it stands for. For
        workloads, which need no secret for it. Nothing prolongs what is answered: there is no cookie.

        `POST /home/v1/login/exchange`
        """
        call = Call(
            "POST", "/home/v1/login/exchange",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.TokenExchanged", await self._caller.call(call))

    async def oidc_providers(
        self,
    ) -> types.OidcProviders:
        """The identity providers by which people may log in, and the directories: names and ids, for whoever is about to; and whether
        this socket asks for client certificates.

        `GET /home/v1/login/oidc`
        """
        call = Call(
            "GET", "/home/v1/login/oidc",
            kind="json",
            by_cookie=True,
            repeatable=True,
        )
        return cast("types.OidcProviders", await self._caller.call(call))

    async def begin_oidc(
        self,
        **body: Unpack[types.BeginOidc],
    ) -> types.OidcBegun:
        """Begins the login of a person by an identity provider, on the session of the cookie or on a new one. The browser goes on to
        the address that is answered, and comes back to the callback with the cookie that this sets.

        `POST /home/v1/login/oidc`
        """
        call = Call(
            "POST", "/home/v1/login/oidc",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.OidcBegun", await self._caller.call(call))

    async def finish_oidc(
        self,
        *,
        code: str | None = None,
        state: str | None = None,
        iss: str | None = None,
        error: str | None = None,
    ) -> str:
        """Where an identity provider sends the browser of a person back to. On success it goes on to the console with a session; a
        refusal is shown to browsers in the console, and to programs as usual.

        `GET /home/v1/login/oidc/callback`

        `code`: What an ID token is had for, once.

        `state`: Which request it answers.

        `iss`: Who answers (RFC 9207).

        `error`: Why there is no code.

        Answers where it redirects to, which is not followed.
        """
        call = Call(
            "GET", "/home/v1/login/oidc/callback",
            kind="redirect",
            query={"code": code, "state": state, "iss": iss, "error": error},
            by_cookie=True,
        )
        return cast("str", await self._caller.call(call))

    async def passkey_challenge(
        self,
    ) -> types.PasskeyChallenge:
        """What a passkey is to sign for a login. It is the same for everybody and says nothing of who has passkeys: the browser finds
        the one that it has for this host. What it answers goes with name and password, as `passkey`, to POST /home/v1/login.

        `POST /home/v1/login/passkey`
        """
        call = Call(
            "POST", "/home/v1/login/passkey",
            kind="json",
            body={},
            by_cookie=True,
        )
        return cast("types.PasskeyChallenge", await self._caller.call(call))

    async def change_password(
        self,
        **body: Unpack[types.ChangePassword],
    ) -> types.HomeAnswer:
        """Sets one's own password, by the present one and the second factor, and ends the sessions of the identity. A password that
        others gave for one use does this and nothing else.

        `POST /home/v1/login/password`
        """
        call = Call(
            "POST", "/home/v1/login/password",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.HomeAnswer", await self._caller.call(call))

    async def token(
        self,
    ) -> types.TokenAnswer:
        """A bearer token for a fully logged-in session.

        `GET /home/v1/login/token`
        """
        call = Call(
            "GET", "/home/v1/login/token",
            kind="json",
            by_cookie=True,
            repeatable=True,
        )
        return cast("types.TokenAnswer", await self._caller.call(call))

    async def enrol_totp(
        self,
        **body: Unpack[types.TotpCredentials],
    ) -> types.TotpSecret:
        """Makes a new secret of one-time codes for a person, and shows it this once. It counts once one of its codes has confirmed
        it; until then, a login takes what it took before. Whoever has codes already shows a present one, or a passkey; whoever has none and
        a passkey that was confirmed shows that.

        `POST /home/v1/login/totp`
        """
        call = Call(
            "POST", "/home/v1/login/totp",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.TotpSecret", await self._caller.call(call))

    async def confirm_totp(
        self,
        **body: Unpack[types.TotpCredentials],
    ) -> types.HomeAnswer:
        """Makes the new secret the one whose codes logins take, in the place of a present one: `totp` is a code of the new one. No passkey
        takes its place.

        `POST /home/v1/login/totp/confirm`
        """
        call = Call(
            "POST", "/home/v1/login/totp/confirm",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.HomeAnswer", await self._caller.call(call))

    async def remove_totp(
        self,
        **body: Unpack[types.TotpCredentials],
    ) -> types.HomeAnswer:
        """Takes the codes away: logins take the password alone, or with a passkey. It takes one of the codes, or a passkey, and ends the
        sessions of the identity.

        `POST /home/v1/login/totp/remove`
        """
        call = Call(
            "POST", "/home/v1/login/totp/remove",
            kind="json",
            body=dict(body),
            by_cookie=True,
        )
        return cast("types.HomeAnswer", await self._caller.call(call))

    async def logout(
        self,
    ) -> types.HomeAnswer:
        """Ends the session, complete or half open, and every token of it.

        `POST /home/v1/logout`
        """
        call = Call(
            "POST", "/home/v1/logout",
            kind="json",
            body={},
            by_cookie=True,
        )
        return cast("types.HomeAnswer", await self._caller.call(call))


class AsyncLog:
    def __init__(self, caller: AsyncCaller) -> None:
        self._caller = caller

    async def checkpoint(
        self,
    ) -> str:
        """The newest signed checkpoint of the transparency log.

        `GET /log/checkpoint`
        """
        call = Call(
            "GET", "/log/checkpoint",
            kind="text",
            is_public=True,
            repeatable=True,
        )
        return cast("str", await self._caller.call(call))

    async def tile(
        self,
        tile: str,
        /,
    ) -> bytes:
        """A tile of the log's hashes, or a bundle of its entries.

        `GET /log/tile/{tile}`
        """
        call = Call(
            "GET", f"/log/tile/{tile}",
            kind="bytes",
            is_public=True,
            repeatable=True,
        )
        return cast("bytes", await self._caller.call(call))

    async def vkey(
        self,
    ) -> str:
        """The public key that checkpoints are verified with, under the log's name. Compare it with what you were given on
        another way.

        `GET /log/vkey`
        """
        call = Call(
            "GET", "/log/vkey",
            kind="text",
            is_public=True,
            repeatable=True,
        )
        return cast("str", await self._caller.call(call))


class AsyncOperations:
    """All groups."""

    def __init__(self, caller: AsyncCaller) -> None:
        self.reports = AsyncReports(caller)
        self.audit = AsyncAudit(caller)
        self.audit_targets = AsyncAuditTargets(caller)
        self.identities = AsyncIdentities(caller)
        self.api_keys = AsyncApiKeys(caller)
        self.mailboxes = AsyncMailboxes(caller)
        self.passkeys = AsyncPasskeys(caller)
        self.identity_bindings = AsyncIdentityBindings(caller)
        self.identity_providers = AsyncIdentityProviders(caller)
        self.key_types = AsyncKeyTypes(caller)
        self.keys = AsyncKeys(caller)
        self.notice_targets = AsyncNoticeTargets(caller)
        self.notices = AsyncNotices(caller)
        self.roles = AsyncRoles(caller)
        self.settings = AsyncSettings(caller)
        self.token_profiles = AsyncTokenProfiles(caller)
        self.grants = AsyncGrants(caller)
        self.certificates = AsyncCertificates(caller)
        self.cert_profiles = AsyncCertProfiles(caller)
        self.proposals = AsyncProposals(caller)
        self.services = AsyncServices(caller)
        self.signing_policies = AsyncSigningPolicies(caller)
        self.signing_requests = AsyncSigningRequests(caller)
        self.public = AsyncPublic(caller)
        self.server = AsyncServer(caller)
        self.session = AsyncSession(caller)
        self.log = AsyncLog(caller)
