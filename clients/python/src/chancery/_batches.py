"""Long lists in pieces that one call takes."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence

from .errors import ApiError, ChanceryError, UnexpectedAnswer
from .types import BatchTokenizationResponse, ItemError

#: Values of one call at most; the server takes 100,000, and answers sooner where they are fewer.
VALUES_MAX = 20_000
#: Characters of one call's values at most: with six bytes for each, as JSON may need, they stay below the server's limit.
CHARACTERS_MAX = 4_000_000


@dataclasses.dataclass(frozen=True)
class Tokens:
    """The tokens of many messages."""

    #: In the order of the messages; None where `errors` says why.
    tokens: list[str | None]
    #: In the same order, where the profile uses initialization vectors: detokenizing needs them.
    ivs: list[str | None] | None
    #: The version of the key, where the profile reads several: detokenizing needs it unless each token tells it.
    key_version: int | None
    errors: list[ItemError]


@dataclasses.dataclass(frozen=True)
class Messages:
    """The messages of many tokens."""

    #: In the order of the tokens; None where `errors` says why.
    messages: list[str | None]
    errors: list[ItemError]


def pieces(values: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """The values in pieces, each with the place of its first value."""
    start, piece, characters = 0, list[str](), 0
    for value in values:
        if piece and (len(piece) == VALUES_MAX or characters + len(value) > CHARACTERS_MAX):
            yield start, piece
            start, piece, characters = start + len(piece), [], 0
        piece.append(value)
        characters += len(value)
    if piece:
        yield start, piece


def all_of(values: list[str | None], piece: list[str]) -> list[str | None]:
    """One value for each that was sent, or they would belong to others."""
    if len(values) != len(piece):
        raise UnexpectedAnswer(f"the answer has {len(values)} values for the {len(piece)} that were sent")
    return values


def shifted(error: ApiError, start: int) -> ApiError:
    """The error of a piece, with places as in the whole list."""
    error.errors = [{**one, "index": one["index"] + start} for one in error.errors]
    if error.field is not None and (place := re.fullmatch(r"(/\w+/)(\d+)", error.field)):
        error.field = f"{place[1]}{int(place[2]) + start}"
    return error


def taken_together(answers: list[tuple[int, BatchTokenizationResponse]]) -> Tokens:
    """One answer of those to the pieces."""
    versions = {answer.get("keyVersion") for _, answer in answers}
    if len(versions) > 1:
        raise ChanceryError("the profile's key version changed between two batches; tokenize the list again")
    with_ivs = any(answer.get("ivs") is not None for _, answer in answers)
    return Tokens(
        tokens=[token for _, answer in answers for token in answer["tokens"]],
        ivs=[iv for _, answer in answers for iv in answer.get("ivs") or []] if with_ivs else None,
        key_version=versions.pop() if versions else None,
        errors=[{**one, "index": one["index"] + start} for start, answer in answers for one in answer.get("errors", [])],
    )
