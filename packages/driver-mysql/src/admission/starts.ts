import type { Rate } from '@rowlock/core/driver';
import { call, change, type MysqlTransaction } from '../query.js';
import type { Statements } from '../statements.js';

/** Takes a start of each rate, or of none, in a transaction of its own. @throws DriverError */
export async function takeStarts(
  on: MysqlTransaction,
  sql: Statements,
  rates: readonly Rate[],
  take: string,
): Promise<readonly number[]> {
  const wanted = JSON.stringify(
    rates.map(({ name, starts, perMs, burst }) => [name, starts, perMs, burst] as const),
  );
  for (;;) {
    const [row] = await call<{ waits_us: string | null }>(on, sql.rates.takeStarts, [wanted, take]);
    const waitsUs: readonly number[] | undefined = JSON.parse(row?.waits_us ?? 'null') ?? undefined;
    if (waitsUs !== undefined) return waitsUs.map((waitUs) => waitUs / 1_000);
    for (const { name } of rates) await change(on, sql.rates.addRate, [name]);
  }
}

/** @throws DriverError */
export async function giveBackStarts(
  on: MysqlTransaction,
  sql: Statements,
  names: readonly string[],
  take: string,
): Promise<void> {
  for (const name of names) await change(on, sql.rates.giveBackStart, [name, take]);
}
