"""Columns of pandas' data frames; installed with `pip install chancery[pandas]`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from .errors import ChanceryError

if TYPE_CHECKING:
    from ._sync.client import Client

IV = "_iv"


def tokenize_columns(client: Client, frame: pd.DataFrame, profiles: Mapping[Any, str]) -> pd.DataFrame:
    """A copy of the frame with tokens in the place of the values of some columns.

    `profiles`: each column's token profile, by name or uuid: `{"pan": "card numbers"}`.

    Values are text; missing and empty ones stay as they are, and so do the columns' types (categories are those of the
    result, without an order). Where a profile uses initialization vectors, they come as a column of the same name with
    `_iv` behind it; a column without a value has none.
    """
    result = frame.copy()
    for column, profile in profiles.items():
        present = values(frame, column)
        answer = client.tokenize_many(profile, present)
        if answer.key_version is not None:
            raise ChanceryError(
                f"{column}: the profile reads several key versions and its tokens do not tell theirs, so a column of them"
                " could not be read again; use tokenize_many and keep its key_version"
            )
        result[column] = replaced(frame[column], present, answer.tokens)
        if answer.ivs is not None:
            if f"{column}{IV}" in frame:
                raise ChanceryError(f"{column}: there is a column {column}{IV} already, which would be overwritten")
            result[f"{column}{IV}"] = pd.Series(answer.ivs, index=present.index, dtype=object).reindex(frame.index)
    return result


def detokenize_columns(client: Client, frame: pd.DataFrame, profiles: Mapping[Any, str]) -> pd.DataFrame:
    """A copy of the frame with messages in the place of tokens: the way back from `tokenize_columns`.

    Columns of initialization vectors that belong to the columns are used, and are not in the result.
    """
    result = frame.copy()
    for column, profile in profiles.items():
        present = values(frame, column)
        ivs = None
        if f"{column}{IV}" in frame:
            ivs = [str(iv) for iv in frame.loc[present.index, f"{column}{IV}"]]
            result = result.drop(columns=f"{column}{IV}")
        answer = client.detokenize_many(profile, present, ivs=ivs)
        result[column] = replaced(frame[column], present, answer.messages)
    return result


def replaced(column: pd.Series, present: pd.Series, texts: Sequence[str | None]) -> pd.Series:
    """The column with these texts in the place of the values that were there, and of the same type."""
    made = column.astype(object)
    made.loc[present.index] = list(texts)
    is_category = isinstance(column.dtype, pd.CategoricalDtype)
    return made.astype("category" if is_category else column.dtype)


def values(frame: pd.DataFrame, column: Any) -> pd.Series:
    """The values of a column that are there and not empty.

    Numbers are refused: their text lost leading zeros, or gained a `.0`.
    """
    if not frame.index.is_unique:
        raise ChanceryError("the frame's index has repeated labels; use frame.reset_index(drop=True)")
    present = frame[column].dropna()
    for label, value in present.items():
        if not isinstance(value, str):
            raise ChanceryError(
                f"{column}: the value at {label!r} is {type(value).__name__}, not text; read the column with dtype=str"
            )
    return present[[value != "" for value in present]]
