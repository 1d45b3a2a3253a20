import type { JobError, Json } from '@rowlock/core';
import { isSettled, type Settlement, storableJson, TRANSITIONS } from '@rowlock/core/driver';
import type { GivenRows } from '../jobs/given.js';
import { ENDINGS } from '../jobs/given-rows.js';
import { inPackets } from '../jobs/packets.js';
import type { Value } from '../query.js';

/** Whether all jobs have ended for good, with settlements that are equal but for the job. */
export function areAlike(
  settlements: readonly Settlement[],
): settlements is readonly [Settlement, ...Settlement[]] {
  const [first, ...others] = settlements;
  if (first === undefined || !isSettled(TRANSITIONS[first.event].to)) return false;
  if (others.length > 0 && (first.output !== null || first.error !== null)) return false;
  return others.every(
    ({ event, output, error, runId, attempt, crashes, tookMs, by }) =>
      event === first.event &&
      output === null &&
      error === null &&
      runId === first.runId &&
      attempt === first.attempt &&
      crashes === first.crashes &&
      tookMs === first.tookMs &&
      by === first.by,
  );
}

/** The values that are equal in settlements that are alike. */
export function sharedBy(settlement: Settlement): Value[] {
  const { runId, event, attempt, crashes, output, error, tookMs, by } = settlement;
  const { to } = TRANSITIONS[event];
  return [runId, to, attempt, crashes, textOf(output), textOf(error), tookMs, by, by];
}

/** The rows of any settlements, for one statement each. */
export function endingsOf(settlements: readonly Settlement[]): readonly GivenRows[] {
  const rows = settlements.map((each) => ({
    id: String(each.id),
    process_id: each.runId,
    event: each.event,
    status: TRANSITIONS[each.event].to,
    attempt: each.attempt,
    crashes: each.crashes,
    delay: each.delayMs,
    took: each.tookMs,
    output: textOf(each.output),
    error: textOf(each.error),
    settled_by: each.by,
  }));
  return inPackets(rows).map((packet) => ENDINGS.rows(packet));
}

function textOf(value: Json | JobError | null): string | null {
  return value === null ? null : storableJson(value);
}
