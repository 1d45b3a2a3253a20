import { isSettled } from '@rowlock/core/driver';
import { type Actor, type Caller, type Command, isCaller } from '../command.js';
import { hasKey, type ModelJob, type Row } from './job.js';
import type { ModelState } from './state.js';
import { firstKeyed, type Transaction, unfinished } from './transaction.js';

/** Whether this can be done now, and would not wait for somebody. */
export function allows(state: ModelState, command: Command): boolean {
  const tx = 'by' in command ? state.transactions.get(command.by) : undefined;
  switch (command.do) {
    case 'enqueue':
      return command.jobs.every(({ kind, unique }) => !isDisputed(state, kind, unique?.key, command.by));
    case 'end':
    case 'rollback':
      return tx !== undefined;
    case 'claim':
      return (tx === undefined || canLock(tx)) && isThere(state, command.beyond);
    case 'lockSiblings':
      return tx !== undefined && canLock(tx) && (command.queue !== null || firstKeyed(tx) !== undefined);
    case 'firstOutstanding':
      return tx !== undefined && isThere(state, command.before);
    case 'startRuns':
      return hasJobs(tx) && tx.run === null && !tx.hasSettled;
    case 'endCrashed':
      return hasJobs(tx) && unfinished(tx).length > 0;
    case 'noteRun': {
      const isSettling = [...state.transactions.values()].some(({ endings }) => endings.length > 0);
      // What is noted of a run that is over may be there, or not.
      const isOver = state.jobs.some(({ row }) => row?.run === `run ${command.run}` && isSettled(row.status));
      return command.run < state.runs && !isSettling && !isOver;
    }
    case 'write':
      return hasJobs(tx) && !tx.hasSettled && !tx.hasUndone;
    case 'undo':
    case 'renew':
      return tx?.hasSettled === false;
    case 'settle':
      return hasJobs(tx) && isThere(state, command.stranger);
    case 'finish':
      return (
        [command.stranger, command.next?.beyond ?? null].every((job) => isThere(state, job)) && hasJobs(tx)
      );
    case 'commit':
      return hasJobs(tx);
    case 'release': {
      const isAsItWas = tx?.from === 'new' && !tx.hasSettled && !tx.effects.length && !tx.kept.length;
      return isAsItWas && hasJobs(tx) && tx.run !== null;
    }
    case 'lease':
      return hasJobs(tx) && canLock(tx);
    case 'lockLeased': {
      const lease = state.leases[command.lease];
      return (
        lease !== undefined && tx === undefined && [...lease.jobs.keys()].every((job) => state.isFree(job))
      );
    }
    case 'move': {
      const job = state.jobs[command.job];
      if (job === undefined) return false;
      const { kind, unique } = job.wanted;
      return command.event === 'cancel' || !isDisputed(state, kind, unique?.key, command.by);
    }
    case 'makeDue': {
      const job = state.committed(command.job);
      return job?.row.status === 'new' && !job.row.isAvailable && state.isFree(job);
    }
    case 'crash':
      return tx !== undefined || state.sessions.has(command.by);
    case 'stop':
      return state.sessions.has(command.by);
    default:
      return true;
  }
}

/** Whether it may lock, or lease what it has: it has no lease's jobs, and nothing is written with it. */
function canLock({ from, hasWritten }: Transaction): boolean {
  return from === 'new' && !hasWritten;
}

function hasJobs(tx: Transaction | undefined): tx is Transaction {
  return tx !== undefined && tx.held.size > 0;
}

/** Whether it is committed, if one is meant. */
function isThere(state: ModelState, place: number | null): boolean {
  return place === null || state.committed(place) !== undefined;
}

/**
 * Whether somebody else has written a row that has this unique key, or had it, and has not committed that; or has given another
 * key again: on MySQL that keeps others from its neighbours.
 */
function isDisputed(state: ModelState, kind: string, key: string | undefined, by: Actor | Caller): boolean {
  if (key === undefined) return false;
  return [...state.transactions].some(
    ([who, tx]) =>
      !(who === by && isCaller(who)) &&
      [...tx.rows].some(
        ([job, row]) =>
          hasKey(job, row, kind, key) || hasKey(job, job.row, kind, key) || isGivenAgain(state, job, row),
      ),
  );
}

/** Whether this row has a unique key that a job had before, this one or another. */
function isGivenAgain(state: ModelState, job: ModelJob, row: Row | null): boolean {
  const { kind, unique } = job.wanted;
  if (unique === null || !hasKey(job, row, kind, unique.key) || hasKey(job, job.row, kind, unique.key))
    return false;
  return (
    job.row !== null ||
    state.jobs.some(
      ({ wanted }) => wanted !== job.wanted && wanted.kind === kind && wanted.unique?.key === unique.key,
    )
  );
}
