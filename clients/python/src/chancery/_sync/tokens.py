# Made from ../_async/tokens.py by `python3 clients/generate`; changes belong there.
"""Tokenization of values and of lists of any length."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import types
from .._batches import Messages, Tokens, all_of, pieces, shifted, taken_together
from ..errors import ApiError
from .names import Names


class TokenCalls(Names):
    """Profiles are given by name or by uuid."""

    def tokenize(self, profile: str, message: str) -> types.TokenizationResponse:
        """The token of a message: `["token"]`, and `["iv"]` where the profile uses one."""
        return self.token_profiles.tokenize(self.profile_uuid(profile), message=message)

    def detokenize(
        self, profile: str, token: str, *, iv: str | None = None, key_version: int | None = None
    ) -> str:
        """The message of a token, masked where the rules show only a part of it."""
        uuid = self.profile_uuid(profile)
        answer = self.token_profiles.detokenize(uuid, token=token, iv=iv, keyVersion=key_version)
        return answer["message"]

    def tokenize_many(self, profile: str, messages: Iterable[str], *, partial: bool = False) -> Tokens:
        """The tokens of any number of messages, in their order, batch by batch.

        With `partial` a message that the format refuses has the token None, and `errors` says why; without it, it is an
        error of all of them.
        """
        uuid = self.profile_uuid(profile)
        answers = []
        for start, piece in pieces(list(messages)):
            try:
                answer = self.token_profiles.batch_tokenize(uuid, messages=piece, partial=partial)
            except ApiError as error:
                raise shifted(error, start) from None
            tokens, ivs = answer["tokens"], answer.get("ivs")
            all_of(tokens, piece)
            if ivs is not None:
                all_of(ivs, piece)
            answers.append((start, answer))
        return taken_together(answers)

    def detokenize_many(
        self,
        profile: str,
        tokens: Iterable[str],
        *,
        ivs: Sequence[str] | None = None,
        key_version: int | None = None,
        partial: bool = False,
    ) -> Messages:
        """The messages of any number of tokens, in their order, batch by batch.

        `ivs` and `key_version` are those of the answer of `tokenize_many`, where it had any.
        """
        uuid = self.profile_uuid(profile)
        messages: list[str | None] = []
        errors: list[types.ItemError] = []
        for start, piece in pieces(list(tokens)):
            body: types.BatchDetokenizeRequest = {"tokens": piece, "partial": partial}
            if ivs is not None:
                body["ivs"] = list(ivs[start : start + len(piece)])
            if key_version is not None:
                body["keyVersion"] = key_version
            try:
                answer = self.token_profiles.batch_detokenize(uuid, **body)
            except ApiError as error:
                raise shifted(error, start) from None
            messages += all_of(answer["messages"], piece)
            errors += [{**one, "index": one["index"] + start} for one in answer.get("errors", [])]
        return Messages(messages, errors)
