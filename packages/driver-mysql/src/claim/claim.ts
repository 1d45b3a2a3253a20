import type { ClaimCriteria } from '@rowlock/core/driver';
import { list, type Value } from '../statements/query.js';
import type { JobRow } from '../statements/rows.js';
import type { Statements } from '../statements/statements.js';

/** Asks the claim's transaction for rows. @throws DriverError */
export type Ask = <Row>(sql: string, values: readonly Value[]) => Promise<readonly Row[]>;

/** No job's. */
export const NO_ID = 0n;

/** The lowest priority, which a smallint has. */
const LOWEST = -32_768;

/**
 * How many jobs a page has at least that are not needed: others may have locked so many of the first ones. Of several it has twice
 * as many, as another slot has often locked as many.
 */
const SPARE = 32;

/** How many keys a claim names at most that others hold: each twice, of the 65,535 values that a server takes. */
const MOST_PASSED = 16_384;

/** Finds and locks the first free jobs, walking the index until it has them. */
export async function claimInOrder(
  ask: Ask,
  sql: Statements,
  { queue, kinds, line, busy, limit }: ClaimCriteria,
): Promise<readonly JobRow[]> {
  const kind = list(kinds);
  const key = list(busy.length > 0 ? busy : ['']);
  const from = beginningOf(line);
  const beyond = from === 'start' ? [] : [line.priority, line.id, line.priority];
  const values = [queue, ...beyond, ...kind.values, ...key.values, limit];
  return ask<JobRow>(sql.claim(from, kind.places, key.places), values);
}

/** The same for a server that locks all rows of a statement or none: a page of places at a time, of which it locks the first free ones. */
export async function claimFromPages(
  ask: Ask,
  sql: Statements,
  { queue, kinds, line, busy, limit }: ClaimCriteria,
): Promise<readonly JobRow[]> {
  const kind = list(kinds);
  const passed = busy.length > 0 ? [...busy] : [''];
  const found: JobRow[] = [];
  let { priority, id } = line;
  for (let page = 2 * limit + SPARE; ; page *= 4) {
    const key = list(passed);
    const these = [...kind.values, ...key.values, page];
    const from = beginningOf({ priority, id });
    const places =
      from === 'start' ? [queue, ...these] : [queue, priority, id, ...these, queue, priority, ...these];
    const text = sql.claimFromPage(from, kind.places, key.places);
    const rows = await ask<JobRow>(text, [...places, limit - found.length]);
    found.push(...rows);
    if (found.length === limit) return found;
    // There are no more, or the others of this page are locked by somebody else: then look at more of them, from where the last one
    // was found.
    const last = found.at(-1);
    if (last !== undefined) [priority, id] = [last.priority, BigInt(last.id)];
    const seen = await ask<{ key: string | null; jobs: number }>(
      sql.keysOfPage(from, kind.places, key.places),
      places,
    );
    if (seen.reduce((sum, each) => sum + Number(each.jobs), 0) < page) return found;
    // Keys of which others hold what was looked at. Behind 100,000 locked jobs of one key a claim takes a tenth of what it
    // took with them.
    const room = Math.max(0, MOST_PASSED - passed.length);
    if (rows.length === 0) passed.push(...seen.flatMap((each) => each.key ?? []).slice(0, room));
  }
}

/** Of no job before the first one need be asked: that spares the server a part of the search. */
function beginningOf({ priority, id }: ClaimCriteria['line']): 'start' | 'line' {
  return id === NO_ID && priority === LOWEST ? 'start' : 'line';
}
