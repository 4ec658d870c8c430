"""A client of Chancery, a key-management server: tokenization, certificates, code signing.

`Client` and `AsyncClient` have every operation of the interface as a method, in groups such as `client.keys`, and short
ways for what most programs do: `login`, `tokenize`, `tokenize_many`, `sign_digest`, `issue_certificate`.
"""

from . import types
from ._async.client import AsyncClient
from ._batches import Messages, Tokens
from ._sync.client import Client
from ._wire import Retries
from .errors import (
    AlreadyExists,
    ApiAccessDisabled,
    ApiError,
    ArgumentParseError,
    ChanceryError,
    InternalError,
    InvalidAuthToken,
    InvalidSelection,
    InvalidState,
    InvalidValue,
    LimitExceeded,
    NoSuchName,
    NotAuthorized,
    NotIssued,
    NotSigned,
    RateLimited,
    Sealed,
    StillWaiting,
    TransportError,
    Unavailable,
    UnexpectedAnswer,
)

__all__ = [
    "AlreadyExists",
    "ApiAccessDisabled",
    "ApiError",
    "ArgumentParseError",
    "AsyncClient",
    "ChanceryError",
    "Client",
    "InternalError",
    "InvalidAuthToken",
    "InvalidSelection",
    "InvalidState",
    "InvalidValue",
    "LimitExceeded",
    "Messages",
    "NoSuchName",
    "NotAuthorized",
    "NotIssued",
    "NotSigned",
    "RateLimited",
    "Retries",
    "Sealed",
    "StillWaiting",
    "Tokens",
    "TransportError",
    "Unavailable",
    "UnexpectedAnswer",
    "types",
]
__version__ = "0.1.0"
