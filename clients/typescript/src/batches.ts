// Long lists in pieces that one call takes.

import { ApiError, ChanceryError, UnexpectedAnswer } from "./errors.js";
import type { BatchTokenizationResponse, ItemError } from "./generated/types.js";

/** Values of one call at most; the server takes 100,000, and answers sooner where they are fewer. */
const VALUES_MAX = 20_000;
/** Characters of one call's values at most: with six bytes for each, as JSON may need, they stay below the server's limit. */
const CHARACTERS_MAX = 4_000_000;

/** The tokens of many messages. */
export interface Tokens {
  /** In the order of the messages; null where `errors` says why. */
  tokens: (string | null)[];
  /** In the same order, where the profile uses initialization vectors: detokenizing needs them. */
  ivs: (string | null)[] | null;
  /** The version of the key, where the profile reads several: detokenizing needs it unless each token tells it. */
  keyVersion: number | null;
  errors: ItemError[];
}

/** The messages of many tokens. */
export interface Messages {
  /** In the order of the tokens; null where `errors` says why. */
  messages: (string | null)[];
  errors: ItemError[];
}

/** The values in pieces, each with the place of its first value. */
export function* pieces(values: string[], valuesMax = VALUES_MAX, charactersMax = CHARACTERS_MAX): Generator<[number, string[]]> {
  let start = 0;
  let characters = 0;
  for (const [at, value] of values.entries()) {
    if (at > start && (at - start === valuesMax || characters + value.length > charactersMax)) {
      yield [start, values.slice(start, at)];
      start = at;
      characters = 0;
    }
    characters += value.length;
  }
  if (start < values.length) yield [start, values.slice(start)];
}

/** One value for each that was sent, or they would belong to others. */
export function allOf<T>(values: T[], piece: string[]): T[] {
  if (values.length === piece.length) return values;
  throw new UnexpectedAnswer(`the answer has ${values.length} values for the ${piece.length} that were sent`);
}

/** The error of a piece, with places as in the whole list. */
export function shifted(error: ApiError, start: number): ApiError {
  if (start === 0) return error;
  const errors = error.errors.map((one) => ({ ...one, index: one.index + start }));
  const place = /^(\/\w+\/)(\d+)$/.exec(error.field ?? "");
  const field = place === null ? error.field : `${place[1]}${Number(place[2]) + start}`;
  return new ApiError({ ...error, field, errors });
}

/** One answer of those to the pieces. */
export function takenTogether(answers: [number, BatchTokenizationResponse][]): Tokens {
  const versions = new Set(answers.map(([, answer]) => answer.keyVersion ?? null));
  if (versions.size > 1) {
    throw new ChanceryError("the profile's key version changed between two batches; tokenize the list again");
  }
  return {
    tokens: answers.flatMap(([, answer]) => answer.tokens),
    ivs: answers.some(([, answer]) => answer.ivs) ? answers.flatMap(([, answer]) => answer.ivs ?? []) : null,
    keyVersion: [...versions][0] ?? null,
    errors: answers.flatMap(([start, answer]) =>
      (answer.errors ?? []).map((one) => ({ ...one, index: one.index + start })),
    ),
  };
}
