import { Command } from '@commander-js/extra-typings';
import { type JobFilter, STATES, type State } from '@rowlock/core';
import type { Members, TimeRange } from '@rowlock/core/types';
import { InvalidArgumentError } from 'commander';
import { past } from '../../times.js';

/** A command with the conditions of a filter. */
export const filtered = (name: string) =>
  new Command(name)
    .option('--queue <name>', 'of this queue')
    .option('--kind <name...>', 'of this kind, or of these')
    .option('--key <key>', 'of this key')
    .option('--status <state...>', `in this state, or in these: ${STATES.join(', ')}`, state)
    .option('--created-from <time>', "enqueued since: a time, or a duration as '2h' for two hours ago", past)
    .option('--created-before <time>', 'enqueued before', past)
    .option('--settled-from <time>', 'settled since', past)
    .option('--settled-before <time>', 'settled before', past)
    .option('--due-from <time>', 'due since', past)
    .option('--due-before <time>', 'due before', past)
    .option('--error-code <code>', 'with this code of an error')
    .option('--error-text <text>', 'with this text in the message of the error')
    .option('--payload <json>', 'whose payload has these members', members);

/** What the options of a filter have been parsed to. */
export interface Filter {
  readonly queue?: string | undefined;
  readonly kind?: readonly string[] | undefined;
  readonly key?: string | undefined;
  readonly status?: readonly State[] | undefined;
  readonly createdFrom?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly settledFrom?: Date | undefined;
  readonly settledBefore?: Date | undefined;
  readonly dueFrom?: Date | undefined;
  readonly dueBefore?: Date | undefined;
  readonly errorCode?: string | undefined;
  readonly errorText?: string | undefined;
  readonly payload?: Members | undefined;
}

/** The filter as core takes it. Without conditions it is empty. */
export function filterOf({ queue, kind, key, status, payload, ...given }: Filter): JobFilter {
  const { errorCode: code, errorText: text } = given;
  const created = rangeOf(given.createdFrom, given.createdBefore);
  const settled = rangeOf(given.settledFrom, given.settledBefore);
  const due = rangeOf(given.dueFrom, given.dueBefore);
  return {
    ...(queue !== undefined && { queue }),
    ...(kind !== undefined && { kind }),
    ...(key !== undefined && { key }),
    ...(status !== undefined && { status }),
    ...(created && { created }),
    ...(settled && { settled }),
    ...(due && { due }),
    ...((code ?? text) !== undefined && {
      error: { ...(code !== undefined && { code }), ...(text !== undefined && { text }) },
    }),
    ...(payload !== undefined && { payload }),
  };
}

function rangeOf(from: Date | undefined, before: Date | undefined): TimeRange | undefined {
  if (from === undefined && before === undefined) return undefined;
  return { ...(from && { from }), ...(before && { before }) };
}

function state(text: string, before: readonly State[] | undefined): readonly State[] {
  const found = STATES.find((each) => each === text);
  if (found === undefined) throw new InvalidArgumentError(`It is one of ${STATES.join(', ')}.`);
  return [...(before ?? []), found];
}

function members(text: string): Members {
  const value = jsonOf(text);
  if (isMembers(value)) return value;
  throw new InvalidArgumentError('It takes an object as JSON: {"customer":{"id":7}}.');
}

/** Core checks the members themselves. */
function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
