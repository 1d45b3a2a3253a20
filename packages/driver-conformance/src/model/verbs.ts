import type { Operation } from '@rowlock/core';
import { type ClientEvent, isSettled } from '@rowlock/core/driver';
import fc from 'fast-check';
import {
  actor,
  caller,
  claiming,
  filter,
  jobs,
  key,
  kinds,
  nth,
  often,
  operations,
  queue,
  refused,
  settling,
  updating,
} from './drawn.js';
import type { Actor, Caller, Updating } from './parts.js';
import { canUpdate } from './predicted/can-update.js';
import { isDisputed } from './predicted/disputed.js';
import { canLock, firstKeyed, hasJobs, isAsItWas, nthHeld } from './predicted/transaction.js';
import { SHARED_VERBS } from './shared-verbs.js';
import { draw, verb } from './verb.js';

const enqueue = (weight: number, by: fc.Arbitrary<Actor | Caller>) => draw(weight, 'enqueue', { by, jobs });

const update = (
  weight: number,
  by: fc.Arbitrary<Actor | Caller>,
  operations: fc.Arbitrary<readonly Operation[]>,
) => draw<'update', Updating>(weight, 'update', { by, ...updating, operations });

/** Every verb. Functions of the same names are in `predicted` and `performed`. The order decides what a seed draws. */
export const VERBS = {
  enqueue: verb([...enqueue(6, actor), ...enqueue(2, caller)], (_, command, state) =>
    command.jobs.every(({ kind, unique }) => !isDisputed(state, kind, unique?.key, command.by)),
  ),
  end: verb(draw(2, 'end', { by: caller, how: often('commit', 'rollback') }), (tx) => tx !== undefined),
  claim: verb(
    draw(9, 'claim', { by: actor, ...claiming }),
    (tx, { beyond, limits }, state) =>
      (tx === undefined || (limits === null && canLock(tx))) && state.isThere(beyond),
  ),
  lockSiblings: verb(
    draw(7, 'lockSiblings', {
      by: actor,
      /** Null: of the job that was claimed first. */
      queue: often(null, queue),
      keys: fc.constantFrom<readonly string[]>(['k'], ['k'], ['l'], ['k', 'l'], ['l', 'k']),
      limit: fc.constantFrom(10, 10, 1),
    }),
    (tx, { queue }) => tx !== undefined && canLock(tx) && (queue !== null || firstKeyed(tx) !== undefined),
  ),
  firstOutstanding: verb(
    draw(1, 'firstOutstanding', { by: actor, key, kinds, before: nth }),
    (tx, { before }, state) => tx !== undefined && state.isThere(before),
  ),
  /** Where it finds runs that have not ended, it may end them, and start its own again. */
  startRuns: verb(
    draw(9, 'startRuns', { by: actor, endsCrashed: often(true, false) }),
    (tx) => hasJobs(tx) && tx.run === null && !tx.hasSettled,
  ),
  noteRun: verb(draw(1, 'noteRun', { by: actor, run: nth }), (_, { run }, state) => {
    const isSettling = [...state.transactions.values()].some(({ endings }) => endings.length > 0);
    // What is noted of a run that is over may be there, or not.
    const isOver = state.jobs.some(({ row }) => row?.run === `run ${run}` && isSettled(row.status));
    return run < state.runs && !isSettling && !isOver;
  }),
  write: verb(draw(3, 'write', { by: actor }), (tx) => hasJobs(tx) && !tx.hasSettled && !tx.hasUndone),
  undo: verb(draw(1, 'undo', { by: actor }), (tx) => tx?.hasSettled === false),
  renew: verb(draw(2, 'renew', { by: actor }), (tx) => tx?.hasSettled === false),
  settle: verb(
    draw(9, 'settle', settling),
    (tx, { stranger }, state) => hasJobs(tx) && state.isThere(stranger),
  ),
  /** And claims behind the commit. */
  finish: verb(
    draw(6, 'finish', { ...settling, next: fc.option(fc.record(claiming)) }),
    (tx, { stranger, next }, state) =>
      hasJobs(tx) && state.isThere(stranger) && state.isThere(next?.beyond ?? null),
  ),
  commit: verb(draw(7, 'commit', { by: actor }), hasJobs),
  rollback: verb(draw(1, 'rollback', { by: actor }), (tx) => tx !== undefined),
  release: verb(draw(1, 'release', { by: actor }), (tx) => {
    return tx?.from === 'new' && hasJobs(tx) && tx.run !== null && isAsItWas(tx);
  }),
  lease: verb(
    draw(6, 'lease', { by: actor, most: fc.constantFrom(10, 10, 1), isOver: often(false, true) }),
    (tx) => hasJobs(tx) && canLock(tx),
  ),
  lockLeased: verb(
    draw(5, 'lockLeased', { by: actor, lease: fc.nat({ max: 4 }) }),
    (tx, { lease }, state) => {
      const leased = state.leases[lease]?.jobs.keys();
      return leased !== undefined && tx === undefined && [...leased].every((job) => state.isFree(job));
    },
  ),
  reclaim: verb(draw(2, 'reclaim', { by: actor, dead: often('everybody', 'nobody') })),
  survey: verb(draw(2, 'survey', { by: actor, kinds })),
  move: verb(
    draw(3, 'move', { by: actor, event: fc.constantFrom<ClientEvent>('cancel', 'redrive'), job: nth }),
    (_, { by, event, job: place }, state) => {
      const wanted = state.jobs[place]?.wanted;
      if (wanted === undefined) return false;
      return event === 'cancel' || !isDisputed(state, wanted.kind, wanted.unique?.key, by);
    },
  ),
  list: verb(draw(1, 'list', { by: actor, filter, limit: often(100, 2) })),
  count: verb(draw(1, 'count', { by: actor, filter })),
  workers: verb(draw(1, 'workers', { by: actor })),
  /** Its availability is written by hand. */
  makeDue: verb(draw(2, 'makeDue', { job: nth }), (_, { job: place }, state) => {
    const job = state.committed(place);
    return job?.row.status === 'new' && !job.row.isAvailable && state.isFree(job);
  }),
  /** The tables are read past the driver. */
  look: verb(draw(1, 'look', {})),
  /** Its connections are ended, that of the claim and the worker's session; and it with them, or it opens new ones. */
  crash: verb(
    draw(2, 'crash', { by: actor, how: often('killed', 'cut off') }),
    (tx, { by }, { sessions }) => tx !== undefined || sessions.has(by),
  ),
  /** The worker's session is ended in good order. */
  stop: verb(draw(1, 'stop', { by: actor }), (_, { by }, { sessions }) => sessions.has(by)),
  update: verb(
    [...update(3, actor, often(operations, fc.constant(refused))), ...update(1, caller, operations)],
    (tx, command, state) => canUpdate(state, tx, command),
  ),
  /** Of a job that it has, by its handler. */
  updateHeld: verb(draw(2, 'updateHeld', { by: actor, nth, operations }), (tx, { nth }) => {
    if (!hasJobs(tx) || tx.hasSettled || tx.hasUndone) return false;
    const job = nthHeld(tx, nth);
    return job !== undefined && tx.locked.has(job);
  }),
  ...SHARED_VERBS,
};
