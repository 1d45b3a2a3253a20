import { type ClaimCriteria, type Job, NO_ID, NO_LIMITS, namesIn, sizesOf } from '@rowlock/core/driver';
import { isMariaDb } from '../connection/session.js';
import { type MysqlTransaction, query } from '../query.js';
import type { JobRow } from '../rows.js';
import type { Statements } from '../statements.js';
import { list } from '../values/list.js';
import type { ClaimTransaction } from './claim-transaction.js';
import type { Widen } from './new-slots.js';
import { takeSlots } from './slots.js';

/** The lowest value of a smallint. */
const LOWEST = -32_768;

/** A page has so many jobs beyond twice the wanted number. Other slots have often locked as many of the first jobs as they want. */
const SPARE = 32;

/** The most busy keys in a claim. Each key is sent twice, and a server takes 65,535 values. */
const MOST_PASSED = 16_384;

/** Finds and locks the first free jobs, and slots of their limits. @throws DriverError */
export async function claim(
  tx: ClaimTransaction,
  criteria: ClaimCriteria,
  widen: Widen,
): Promise<readonly Job[]> {
  const find = isMariaDb(await tx.client()) ? claimFromPages : claimInOrder;
  const jobs = tx.jobs.claimed(await find(tx.on, tx.context.sql, criteria));
  if (jobs.length > 0) await takeSlots(tx, sizesOf(criteria.limits ?? NO_LIMITS), widen);
  return jobs;
}

/** Walks the index until the wanted number of jobs is found. */
async function claimInOrder(
  on: MysqlTransaction,
  sql: Statements,
  { queue, kinds, limits = NO_LIMITS, line, busy, limit }: ClaimCriteria,
): Promise<readonly JobRow[]> {
  const kind = list(kinds);
  const key = list(busy.length > 0 ? busy : ['']);
  const from = beginningOf(line);
  const beyond = from === 'start' ? [] : [line.priority, line.id, line.priority];
  const stops = namesOf(limits);
  const values = [queue, limits, ...beyond, ...kind.values, ...key.values, queue, ...stops.values, limit];
  return query<JobRow>(on, sql.claims.claim(from, stops.places, kind.places, key.places), values);
}

/** For a server that locks all rows of a statement or none. Takes a page of places at a time, and locks the page's first free ones. */
async function claimFromPages(
  on: MysqlTransaction,
  sql: Statements,
  { queue, kinds, limits = NO_LIMITS, line, busy, limit }: ClaimCriteria,
): Promise<readonly JobRow[]> {
  const kind = list(kinds);
  const stops = namesOf(limits);
  const passed = busy.length > 0 ? [...busy] : [''];
  const found: JobRow[] = [];
  let { priority, id } = line;
  for (let page = 2 * limit + SPARE; ; page *= 4) {
    const key = list(passed);
    const these = [...kind.values, ...key.values, queue, ...stops.values, page];
    const from = beginningOf({ priority, id });
    const part = [queue, limits];
    const places =
      from === 'start' ? [...part, ...these] : [...part, priority, id, ...these, ...part, priority, ...these];
    const text = sql.claims.claimFromPage(from, stops.places, kind.places, key.places);
    const rows = await query<JobRow>(on, text, [...places, limit - found.length]);
    found.push(...rows);
    if (found.length === limit) return found;
    // Fewer rows mean the end of the jobs, or that others have locked the rest of this page.
    // The next page begins at the last one found.
    const last = found.at(-1);
    if (last !== undefined) [priority, id] = [last.priority, BigInt(last.id)];
    const seen = await query<{ key: string | null; jobs: number }>(
      on,
      sql.claims.keysOfPage(from, stops.places, kind.places, key.places),
      places,
    );
    if (seen.reduce((sum, each) => sum + Number(each.jobs), 0) < page) return found;
    // Other claims hold these keys. Behind 100,000 locked jobs of one key, a claim that skips the key takes a tenth of the time.
    const room = Math.max(0, MOST_PASSED - passed.length);
    if (rows.length === 0) passed.push(...seen.flatMap((each) => each.key ?? []).slice(0, room));
  }
}

/** The names of the limits and rates of a text, for the statement. It has no place for them where there are none. */
function namesOf(limits: string): ReturnType<typeof list<string>> {
  return limits === NO_LIMITS ? { places: '', values: [] } : list(namesIn(limits));
}

/** A claim from the start compares no places, which saves the server a part of the search. */
function beginningOf({ priority, id }: ClaimCriteria['line']): 'start' | 'line' {
  return id === NO_ID && priority === LOWEST ? 'start' : 'line';
}
