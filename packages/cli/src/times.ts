import type { Duration } from '@rowlock/core';
import { milliseconds } from '@rowlock/core/driver';
import { InvalidArgumentError } from 'commander';
import { isoTime } from './iso-time.js';

/** A length of time as core takes it, in milliseconds. */
export function duration(text: string): number {
  return known(text) ?? refuse(text, "a duration like '30s', '5m', '2h' or '7d'");
}

/** How often to do something, in milliseconds: not without a pause. */
export function interval(text: string): number {
  const ms = known(text);
  return ms !== undefined && ms >= LEAST_MS && ms <= MOST_MS
    ? ms
    : refuse(text, "a duration from 100ms to 1d, like '2s' or '1m'");
}

/** The least time between two looks, and the most, in milliseconds. Node takes a pause of more than 24 days for none. */
const LEAST_MS = 100;
const MOST_MS = 86_400_000;

/** An instant, or a duration that goes back from now. */
export function past(text: string): Date {
  return instant(text, -1);
}

/** An instant, or a duration from now on. */
export function future(text: string): Date {
  return instant(text, 1);
}

/** An instant that is still to come, or a duration from now on. */
export function coming(text: string): Date {
  const date = future(text);
  return date.getTime() > Date.now() ? date : refuse(text, 'a time that is still to come');
}

function instant(text: string, sign: 1 | -1): Date {
  const ms = known(text);
  if (ms !== undefined) return new Date(Date.now() + sign * ms);
  return isoTime(text) ?? refuse(text, "a time like '2026-11-26T04:00Z', or a duration like '2h'");
}

function known(text: string): number | undefined {
  return isDuration(text) ? milliseconds(text) : undefined;
}

function isDuration(text: string): text is Extract<Duration, string> {
  return /^\d+(?:\.\d+)?(?:ms|s|m|h|d)$/.test(text);
}

function refuse(text: string, form: string): never {
  throw new InvalidArgumentError(`It takes ${form}, and not '${text}'.`);
}
