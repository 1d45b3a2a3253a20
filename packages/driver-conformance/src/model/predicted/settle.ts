import type { State } from '@rowlock/core';
import { type SettlingEvent, TRANSITIONS } from '@rowlock/core/driver';
import type { CommandOf } from '../command.js';
import type { Settling } from '../parts.js';
import type { Result } from '../result.js';
import { claim } from './claim.js';
import type { Row } from './job.js';
import { leaveLimits } from './slots.js';
import type { ModelState } from './state.js';
import { seen } from './transaction.js';

export function settle(state: ModelState, { by, events, again }: Settling): readonly string[] {
  const tx = state.open(by);
  const run = tx.run ?? state.newRun();
  tx.run = run;
  tx.hasSettled = true;
  const written = [...tx.held].flatMap(([job, taken], place) => {
    const event = events[place % events.length] ?? 'complete';
    const row = seen(job, tx);
    const isOwn = tx.locked.has(job) && !tx.settled.has(job);
    if (row === null || row.status !== tx.from || !isOwn) return [];
    tx.settled.add(job);
    const attempt = taken.attempt + 1;
    const crashes = tx.counted.get(job) ?? taken.crashes;
    tx.rows.set(job, settled(row, { run, event, again, attempt, crashes }));
    const record = job.runs.find((each) => each.run === run);
    tx.endings.push(() => {
      if (record !== undefined && event !== 'complete') record.outcome = event;
    });
    return [job.name];
  });
  return written.sort();
}

/** Commits when all is written, and claims behind it; if not, nothing is left to do but a rollback. */
export function finish(state: ModelState, command: CommandOf<'finish'>): Result {
  const { by, stranger, next } = command;
  const tx = state.open(by);
  const { held } = tx;
  const isStrange = stranger !== null && ![...held.keys()].some(({ place }) => place === stranger);
  const written = settle(state, command);
  const isAll = !isStrange && written.length === held.size;
  leaveLimits(state, tx);
  state.end(by, isAll ? 'commit' : 'rollback');
  if (!isAll) return 'not all';
  return { settled: written, next: next && claim(state, { by, ...next }) };
}

function settled(
  row: Row,
  by: {
    readonly run: string;
    readonly event: SettlingEvent;
    readonly again: 'now' | 'tomorrow';
    readonly attempt: number;
    readonly crashes: number;
  },
): Row {
  const { run, event, again, attempt, crashes } = by;
  const { to: status }: { to: State } = TRANSITIONS[event];
  return {
    ...row,
    status,
    run,
    attempt,
    crashes,
    ...(status === 'new' && { isAvailable: again === 'now', isDue: again === 'now' }),
    output: event === 'complete' ? run : null,
    error: status === 'error' ? 'E_MODEL' : null,
  };
}

export function commit(state: ModelState, { by }: CommandOf<'commit'>): Result {
  leaveLimits(state, state.open(by));
  return state.end(by, 'commit');
}

export function rollback(state: ModelState, { by }: CommandOf<'rollback'>): Result {
  return state.end(by, 'rollback');
}
