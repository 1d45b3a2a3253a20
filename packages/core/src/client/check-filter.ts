import {
  type ErrorFilter,
  type JobFilter,
  listed,
  type Members,
  type TimeRange,
} from '../driver/job-filter.js';
import type { Lane } from '../driver/lane.js';
import { InvalidInputError } from '../errors.js';
import {
  checkDate,
  checkJson,
  checkKey,
  checkName,
  checkStorable,
  checkTexts,
  checkWhole,
  LIMITS,
} from '../input.js';
import { isObject, type Json } from '../job/json.js';
import { STATES } from '../job/lifecycle.js';
import { checkId } from '../job/public-id.js';
import { checkOptions } from '../known-options.js';
import { shown } from '../shown.js';

/** The names of what a filter may have. */
const NAMES = {
  publicIds: true,
  queue: true,
  kind: true,
  key: true,
  status: true,
  created: true,
  settled: true,
  due: true,
  error: true,
  payload: true,
} satisfies Readonly<Record<keyof JobFilter, true>>;

export const FILTER: readonly string[] = Object.keys(NAMES);

/** The most members of a payload in a filter. */
const MOST_MEMBERS = 20;

/**
 * Checks a filter. Also refuses values that no job could have: some databases answer them with an error.
 *
 * @returns The filter without the conditions that are undefined.
 * @throws InvalidInputError; JobNotFoundError for a text that is no public id
 */
export function checkFilter(filter: JobFilter): JobFilter {
  // A misspelt condition would find every job.
  checkOptions('A filter', filter, FILTER);
  const { publicIds, key, status, created, settled, due, error, payload } = filter;
  lanesIn(filter);
  if (key !== undefined) checkKey('key', key);
  if (status !== undefined) checkStatus(listed(status));
  for (const [name, range] of Object.entries({ created, settled, due }))
    if (range !== undefined) checkRange(name, range);
  if (error !== undefined) checkError(error);
  if (payload !== undefined) checkMembers(payload);
  const conditions = { ...filter, ...(publicIds !== undefined && { publicIds: checkIds(publicIds) }) };
  return Object.fromEntries(Object.entries(conditions).filter(([, condition]) => condition !== undefined));
}

function checkIds(ids: readonly string[]): readonly string[] {
  if (!Array.isArray(ids)) throw new InvalidInputError('publicIds must be a list of texts.');
  checkWhole('The number of items in publicIds', ids.length, 1, LIMITS.page);
  return ids.map(checkId);
}

function checkStatus(states: readonly string[] | undefined): void {
  checkTexts('status', states);
  const unknown = states.find((state) => !(STATES as readonly string[]).includes(state));
  if (unknown !== undefined)
    throw new InvalidInputError(`status must be of ${STATES.join(', ')}, not ${shown(unknown)}.`);
}

function checkRange(what: string, range: TimeRange): void {
  checkOptions(what, range, ['from', 'before']);
  const { from, before } = range;
  if (from === undefined && before === undefined)
    throw new InvalidInputError(`${what} must have from, before, or both.`);
  if (from !== undefined) checkDate(`${what}.from`, from);
  if (before !== undefined) checkDate(`${what}.before`, before);
}

function checkError(error: ErrorFilter): void {
  checkOptions('error', error, ['code', 'text']);
  const { code, text } = error;
  if (code === undefined && text === undefined)
    throw new InvalidInputError('error must have code, text, or both.');
  if (code !== undefined) checkPart('error.code', code);
  if (text !== undefined) checkPart('error.text', text);
}

function checkPart(what: string, value: unknown): void {
  if (typeof value !== 'string' || value.length === 0 || value.length > LIMITS.keyCharacters)
    throw new InvalidInputError(`${what} must be text of 1 to ${LIMITS.keyCharacters} characters.`);
  checkStorable(what, value);
}

function checkMembers(payload: Members): void {
  const found = countMembers(checkJson('payload', payload, LIMITS.metadataBytes), 1);
  checkWhole('The number of values in payload', found, 0, MOST_MEMBERS);
}

function countMembers(json: Json, depth: number): number {
  if (!isObject(json) || depth > LIMITS.pathLength)
    throw new InvalidInputError(
      `payload must be an object of up to ${LIMITS.pathLength} levels, without lists: { customer: { id: 7 } }.`,
    );
  const found = Object.values(json).map((value) =>
    typeof value === 'object' && value !== null ? countMembers(value, depth + 1) : 1,
  );
  return found.reduce((sum, each) => sum + each, 0);
}

/** The queues and kinds of a filter, where it has some. */
interface Lanes {
  readonly queues: readonly string[] | undefined;
  readonly kinds: readonly string[] | undefined;
}

/** @throws InvalidInputError */
export function lanesIn({ queue, kind }: Pick<JobFilter, 'queue' | 'kind'>): Lanes {
  const [queues, kinds] = [listed(queue), listed(kind)];
  for (const [name, names] of Object.entries({ queue: queues, kind: kinds })) {
    if (names === undefined) continue;
    checkTexts(name, names);
    for (const each of names) checkName(name, each);
  }
  return { queues, kinds };
}

export function isIn({ queues, kinds }: Lanes, { queue, kind }: Lane): boolean {
  return (queues?.includes(queue) ?? true) && (kinds?.includes(kind) ?? true);
}
