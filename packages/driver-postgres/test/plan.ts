import type pg from 'pg';
import { expect } from 'vitest';
import { statements } from '../src/statements.js';

const sql = statements('rowlock');

/** What the server says of a statement that it has done. */
export interface Plan {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly Plan[];
}

export async function explained(client: pg.Client, text: string, values: unknown[]): Promise<Plan> {
  await client.query('BEGIN');
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`,
    values,
  );
  await client.query('ROLLBACK');
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  if (plan === undefined) throw new Error('No plan.');
  return plan;
}

/** The statements of a job, with a claim of these values. */
export async function isPlannedOnce(client: pg.Client, claim: unknown[]): Promise<void> {
  await arePlannedOnce(client, {
    claim: [sql.claims.claimOne, claim],
    complete: [sql.settlements.complete, [1, null, 1, 0, 0, 'host', 'new']],
  });
}

export async function arePlannedOnce(
  client: pg.Client,
  asked: Readonly<Record<string, readonly [text: string, values: unknown[]]>>,
): Promise<void> {
  // The first five times the server makes a plan for the values, to compare what it costs with that of one for any values.
  for (let times = 0; times < 10; times++) {
    for (const [name, [text, values]] of Object.entries(asked)) {
      await client.query('BEGIN');
      await client.query({ name, text, values }).catch(() => {});
      await client.query('ROLLBACK');
    }
  }
  const { rows } = await client.query<{ name: string; custom_plans: string }>(
    'SELECT name, custom_plans FROM pg_prepared_statements',
  );
  expect(Object.fromEntries(rows.map(({ name, custom_plans: times }) => [name, times]))).toEqual(
    Object.fromEntries(Object.keys(asked).map((name) => [name, '5'])),
  );
}

export function nodes(plan: Plan): readonly Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodes)];
}

/** The tables that are read from end to end. */
export function scanned(plan: Plan): readonly string[] {
  const scans = nodes(plan).filter((node) => node['Node Type'] === 'Seq Scan');
  return [...new Set(scans.flatMap((node) => node['Relation Name'] ?? []))];
}

export function indexes(plan: Plan): readonly string[] {
  return [...new Set(nodes(plan).flatMap((node) => node['Index Name'] ?? []))];
}

export function pages(plan: Plan): number {
  return plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
}
