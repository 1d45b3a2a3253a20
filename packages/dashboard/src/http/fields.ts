import type { Duration, Json } from '@rowlock/core';
import { Problem } from './problem.js';

/** More than a payload of 1 MiB takes, written as JSON in JSON. */
const MOST_BYTES = 4 * 1024 * 1024;

/** The members of the object in a request's body. */
export class Fields {
  readonly #members: { readonly [name: string]: Json };

  constructor(members: { readonly [name: string]: Json }) {
    this.#members = members;
  }

  /** @throws Problem 400 */
  text(name: string): string {
    const value = this.textOr(name, undefined);
    if (value === undefined) throw new Problem(400, `${name} is missing.`);
    return value;
  }

  /** @throws Problem 400 */
  textOr<Otherwise>(name: string, otherwise: Otherwise): string | Otherwise {
    const value = this.value(name);
    if (value === undefined || value === null) return otherwise;
    if (typeof value !== 'string') throw new Problem(400, `${name} must be text.`);
    return value;
  }

  /** @throws Problem 400 */
  number(name: string): number {
    const value = this.value(name);
    if (typeof value !== 'number') throw new Problem(400, `${name} must be a number.`);
    return value;
  }

  /** @throws Problem 400 */
  time(name: string): Date | undefined {
    const value = this.textOr(name, undefined);
    return value === undefined ? undefined : timeOf(name, value);
  }

  /** A time that is still to come. @throws Problem 400 */
  timeToCome(name: string): Date | undefined {
    const time = this.time(name);
    if (time !== undefined && time.getTime() <= Date.now())
      throw new Problem(400, `${name} must be a time that is still to come.`);
    return time;
  }

  /** Undefined where it is missing or empty. @throws Problem 400 */
  duration(name: string): Duration | undefined {
    const text = this.textOr(name, '');
    if (text === '') return undefined;
    if (!isDuration(text)) throw new Problem(400, `${name} must be like 30s, 5m, 2h or 1.5d.`);
    return text;
  }

  isTrue(name: string): boolean {
    return this.value(name) === true;
  }

  value(name: string): Json | undefined {
    return Object.hasOwn(this.#members, name) ? this.#members[name] : undefined;
  }
}

function isDuration(text: string): text is Extract<Duration, string> {
  return /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text);
}

/** A day, and maybe a time with an offset, in the form of ISO 8601. */
const ISO = /^(\d{4}-\d\d-\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** @throws Problem 400 */
export function timeOf(name: string, text: string): Date {
  const [, day = ''] = ISO.exec(text) ?? [];
  const time = new Date(text);
  // `Date` takes a bare number for a month of 2001, and 30 February for 2 March.
  const isInCalendar = day !== '' && JSON.stringify(new Date(day)).includes(day);
  if (!isInCalendar || Number.isNaN(time.getTime()))
    throw new Problem(400, `${name} must be a time, as 2026-11-26T09:00:00Z.`);
  return time;
}

/** @throws Problem 400, 413, 415 */
export async function fieldsOf(request: Request): Promise<Fields> {
  // A form of another site cannot send this type.
  const [type = ''] = (request.headers.get('content-type') ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json')
    throw new Problem(415, 'The body must be application/json.');
  const members = parsed(await textOf(request));
  if (typeof members !== 'object' || members === null || isList(members))
    throw new Problem(400, 'The body must be an object in JSON.');
  return new Fields(members);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Problem(400, 'The body is not JSON.', { cause: error });
  }
}

async function textOf({ body }: Request): Promise<string> {
  const decoder = new TextDecoder();
  let bytes = 0;
  let text = '';
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MOST_BYTES) throw new Problem(413, `The body has more than ${MOST_BYTES} bytes.`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
