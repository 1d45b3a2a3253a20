import type { JobFilter, State } from '@rowlock/core';
import { STATES } from '@rowlock/core';
import type { ErrorFilter, Members, TimeRange } from '@rowlock/core/types';
import { timeOf } from './http/fields.js';
import { Problem } from './http/problem.js';
import { textIn } from './http/text-in.js';

/** The names of an address that are a filter. */
const NAMES = [
  ...['id', 'queue', 'kind', 'key', 'status', 'error-code', 'error-text', 'payload'],
  ...['created', 'settled', 'due'].flatMap((time) => [`${time}-from`, `${time}-before`]),
];

/**
 * The filter in an address: `?kind=mail.send&status=error&error-code=ETIMEDOUT&created-from=2026-11-26T00:00Z`. `id`,
 * `kind` and `status` may be there several times. Empty values count as missing.
 *
 * @throws Problem 400, also for other names: a misspelt condition would mean every job.
 */
export function filterOf(query: URLSearchParams): JobFilter {
  const other = [...query.keys()].find((name) => !NAMES.includes(name));
  if (other !== undefined) throw new Problem(400, `A filter has no ${JSON.stringify(other)}.`);
  const ids = query.getAll('id').filter(Boolean);
  const kinds = query.getAll('kind').filter(Boolean);
  const states = query.getAll('status').filter(Boolean).map(stateOf);
  return {
    ...(ids.length > 0 && { publicIds: ids }),
    ...textIn(query, 'queue'),
    ...textIn(query, 'key'),
    ...(kinds.length > 0 && { kind: kinds }),
    ...(states.length > 0 && { status: states }),
    ...rangeIn(query, 'created'),
    ...rangeIn(query, 'settled'),
    ...rangeIn(query, 'due'),
    ...errorIn(query),
    ...payloadIn(query),
  };
}

function stateOf(text: string): State {
  const state = STATES.find((each) => each === text);
  if (state === undefined) throw new Problem(400, `status must be of ${STATES.join(', ')}.`);
  return state;
}

function rangeIn<Time extends 'created' | 'settled' | 'due'>(
  query: URLSearchParams,
  time: Time,
): { readonly [Name in Time]?: TimeRange } {
  const [from, before] = [`${time}-from`, `${time}-before`].map((name) => {
    const text = query.get(name) ?? '';
    return text === '' ? undefined : timeOf(name, text);
  });
  const found: { [Name in Time]?: TimeRange } = {};
  if (from !== undefined || before !== undefined)
    found[time] = { ...(from !== undefined && { from }), ...(before !== undefined && { before }) };
  return found;
}

function errorIn(query: URLSearchParams): { readonly error?: ErrorFilter } {
  const [code, text] = ['error-code', 'error-text'].map((name) => query.get(name) ?? '');
  if (!code && !text) return {};
  return { error: { ...(code && { code }), ...(text && { text }) } };
}

function payloadIn(query: URLSearchParams): { readonly payload?: Members } {
  const text = query.get('payload') ?? '';
  if (text === '') return {};
  try {
    return { payload: JSON.parse(text) };
  } catch (error) {
    throw new Problem(400, 'payload must be an object in JSON: {"customer": {"id": 7}}.', { cause: error });
  }
}
