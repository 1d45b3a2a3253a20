import type { Schedule } from '@rowlock/core';
import type { Fields } from './http/fields.js';
import { Problem } from './http/problem.js';

type Times = Pick<Schedule, 'cron' | 'timeZone' | 'every' | 'anchor' | 'jitter'>;
type Rules = Pick<Schedule, 'missed' | 'overlap'>;

/** @param anchor Where the grid of `every` begins. @throws Problem 400 for no duration. What else is wrong, core says. */
export function timesIn(fields: Fields, anchor: Date | null = null): Times {
  const cron = fields.textOr('cron', '');
  const timeZone = fields.textOr('timeZone', '');
  const jitter = fields.duration('jitter');
  const every = fields.duration('every');
  return {
    ...(cron !== '' && { cron }),
    ...(timeZone !== '' && { timeZone }),
    ...(every !== undefined && { every }),
    ...(every !== undefined && anchor !== null && { anchor }),
    ...(jitter !== undefined && { jitter }),
  };
}

const OVERLAPS = ['skip', 'queue', 'allow'] as const satisfies readonly Rules['overlap'][];

/** `missed` may be a number: that of the ticks that are made up for. @throws Problem 400 */
export function rulesIn(fields: Fields): Rules {
  const missed = fields.value('missed') ?? 'once';
  const overlap = OVERLAPS.find((each) => each === (fields.value('overlap') ?? 'skip'));
  if (overlap === undefined) throw new Problem(400, `overlap must be of ${OVERLAPS.join(', ')}.`);
  if (missed === 'skip' || missed === 'once') return { missed, overlap };
  if (typeof missed !== 'number') throw new Problem(400, 'missed must be skip, once, or a number.');
  return { missed: { all: { max: missed } }, overlap };
}
