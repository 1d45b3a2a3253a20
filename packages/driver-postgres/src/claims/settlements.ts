import { DriverError, type State } from '@rowlock/core';
import { type Settlement, storableJson, TRANSITIONS } from '@rowlock/core/driver';
import { rangeOf } from '@rowlock/sql-drivers';
import type { Statements } from '../statements.js';
import { plainArray } from '../values/plain-array.js';
import type { ClaimStatement } from './claim-statement.js';
import { NOT_ALL } from './statements/settle.js';

/** The state of a claim's jobs in the table until they are settled. */
export interface Standing {
  readonly status: State;
  /** Whether the claim is one job. Then no run of the claim has several. */
  readonly isOne: boolean;
}

/** Settlements that `areAlike`. */
export type Alike = readonly [Settlement, ...Settlement[]];

/** Settles one job that is complete, without output. The row count says whether the job was settled. */
export function completing(text: string, [settlement]: Alike, { status }: Standing): ClaimStatement {
  return { text, values: [settlement.id, ...sharedBy(settlement, status)], given: 1 };
}

/** Settles those jobs that this transaction has, and returns their ids. */
export function settling(
  sql: Statements,
  settlements: readonly Settlement[],
  standing: Standing,
): ClaimStatement {
  const { settle, settleTogether } = sql.settlements;
  return endingBy(standing.isOne ? settle : settleTogether, settlements, standing);
}

/** Settles all of the jobs, or fails. Jobs that end alike are settled by one plan, for any number of them. */
export function settlingAll(
  sql: Statements,
  settlements: readonly Settlement[],
  standing: Standing,
): ClaimStatement {
  if (!areAlike(settlements))
    return endingBy(
      standing.isOne ? sql.settlements.settleAll : sql.settlements.settleAllTogether,
      settlements,
      standing,
    );
  if (standing.isOne) return completing(sql.settlements.completeAll, settlements, standing);
  const ids = settlements.map(({ id }) => id);
  const values = [plainArray(ids), ...sharedBy(settlements[0], standing.status), rangeOf(ids)[1]];
  return { text: sql.settlements.settleAlike, values, given: 1 };
}

/** Whether a settlement has an output or an error, which the server may refuse. */
export function carryValues(settlements: readonly Settlement[]): boolean {
  return settlements.some(({ output, error }) => output !== null || error !== null);
}

/** Whether all jobs are complete, without output, and with equal settlements. */
export function areAlike(settlements: readonly Settlement[]): settlements is Alike {
  const [first] = settlements;
  if (first === undefined) return false;
  return settlements.every(
    ({ event, output, runId, attempt, crashes, tookMs, by }) =>
      event === 'complete' &&
      output === null &&
      runId === first.runId &&
      attempt === first.attempt &&
      crashes === first.crashes &&
      tookMs === first.tookMs &&
      by === first.by,
  );
}

/** The values that are equal in settlements that are alike: $2 to $7. */
function sharedBy({ runId, attempt, crashes, tookMs, by }: Settlement, status: State): unknown[] {
  return [runId, attempt, crashes, tookMs, by, status];
}

/** The values of any settlements: $1 to $13, and $14 when a run may have several jobs. */
function endingBy(
  text: string,
  settlements: readonly Settlement[],
  { status, isOne }: Standing,
): ClaimStatement {
  const column = <Value>(value: (settlement: Settlement) => Value): Value[] => settlements.map(value);
  const ids = column(({ id }) => id);
  const values = [
    plainArray(ids),
    plainArray(column(({ runId }) => runId)),
    plainArray(column(({ event }) => event)),
    plainArray(column(({ event }) => TRANSITIONS[event].to)),
    plainArray(column(({ attempt }) => attempt)),
    plainArray(column(({ crashes }) => crashes)),
    plainArray(column(({ delayMs }) => delayMs)),
    plainArray(column(({ tookMs }) => tookMs)),
    column(({ output }) => (output === null ? null : storableJson(output))),
    column(({ error }) => (error === null ? null : storableJson(error))),
    column(({ by }) => by),
    status,
    plainArray(settlements.filter(({ event }) => event !== 'complete').map(({ id }) => id)),
    ...(isOne ? [] : [rangeOf(ids)[0]]),
  ];
  return { text, values, given: settlements.length };
}

/** Whether this transaction had fewer jobs to settle: see `settleAll`. */
export function isNotAll(error: unknown): boolean {
  const { code, message } = Object(error instanceof DriverError && error.cause);
  return code === '22P02' && String(message).includes(NOT_ALL);
}
