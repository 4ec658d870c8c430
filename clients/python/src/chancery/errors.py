"""Why a call did not give what was asked for. All of them are a ChanceryError."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import ItemError, Proposed, SigningRequest


class ChanceryError(Exception):
    """The ancestor of everything that this package raises on purpose."""


class TransportError(ChanceryError):
    """The server could not be reached, did not answer in time, or is not the one that the authorities vouch for."""


class UnexpectedAnswer(ChanceryError):
    """The answer is not as the interface describes it."""


class NoSuchName(ChanceryError):
    """There is no object of this name, or several."""


class ApiError(ChanceryError):
    """The server refused the call. There is a subclass for each error code."""

    error_code: str | None

    def __init__(
        self,
        *,
        status: int,
        error_code: str | None,
        message: str,
        field: str | None = None,
        request_id: str | None = None,
        errors: list[ItemError] | None = None,
        retry_after: float | None = None,
    ) -> None:
        #: HTTP status.
        self.status = status
        #: The reason as a word; None where a public file's answer has none.
        self.error_code = error_code
        #: The reason as a sentence for a person.
        self.message = message
        #: The member of the body at fault, as a JSON pointer.
        self.field = field
        #: The id under which the server's log and audit records speak of the call.
        self.request_id = request_id
        #: Of a batch: the values at fault, a hundred of them at most.
        self.errors = errors or []
        #: After how many seconds the server would have the call again.
        self.retry_after = retry_after
        super().__init__(message)

    def __str__(self) -> str:
        at = f"{self.field}: " if self.field else ""
        code = f"{self.error_code}, " if self.error_code else ""
        request = f", request {self.request_id}" if self.request_id else ""
        return f"{at}{self.message} ({code}status {self.status}{request})"


class ArgumentParseError(ApiError):
    """The body is not as described: a member is missing, of the wrong type, or not base64."""


class InvalidSelection(ApiError):
    """A member names a value or an object that does not exist; with status 404, the path does."""


class InvalidValue(ApiError):
    """Well-formed, but the object's rules refuse it."""


class InvalidState(ApiError):
    """The object's state does not allow this now."""


class AlreadyExists(ApiError):
    """A name that must be unique is taken."""


class InvalidAuthToken(ApiError):
    """Nobody is logged in: the session is over, half logged in, or was never begun."""


class NotAuthorized(ApiError):
    """No Control Rule, permission or key usage grants it."""


class ApiAccessDisabled(ApiError):
    """API access is switched off on this installation."""


class LimitExceeded(ApiError):
    """A body, batch or value is larger than its limit."""


class RateLimited(ApiError):
    """Too much at once; also after the repetitions that the client makes by itself."""


class Sealed(ApiError):
    """The root key is not loaded."""


class Unavailable(ApiError):
    """Storage or keys are out of reach; also after the repetitions that the client makes by itself."""


class InternalError(ApiError):
    """The server's own fault; its log has the cause under the request id."""


BY_CODE: dict[str, type[ApiError]] = {one.__name__: one for one in ApiError.__subclasses__()}


class NotSigned(ChanceryError):
    """A signing request ended without a signature: `request["state"]` is Denied or Failed."""

    def __init__(self, request: SigningRequest) -> None:
        self.request = request
        why = request.get("reason") or "; ".join(note for one in request["approvals"] if (note := one.get("note")))
        super().__init__(f"{request['name']}: {request['state']}" + (f": {why}" if why else ""))


class NotIssued(ChanceryError):
    """A certificate was not issued: the proposal was denied, or failed."""

    def __init__(self, state: str, reason: str | None) -> None:
        self.state = state
        super().__init__(f"the certificate was not issued: {state}" + (f": {reason}" if reason else ""))


class StillWaiting(ChanceryError):
    """Time was over before enough people had approved. What was asked for goes on waiting under `uuid`."""

    def __init__(self, uuid: str, waiting: SigningRequest | Proposed | None, seconds: float) -> None:
        self.uuid = uuid
        self.waiting = waiting
        super().__init__(f"{uuid} still waits for approvals after {seconds:g} s; it can be waited for again")
