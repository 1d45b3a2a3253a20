import { setTimeout as sleep } from 'node:timers/promises';
import { DriverError } from '@rowlock/core';
import { type MysqlTransaction, query } from '../query.js';
import type { Statements } from '../statements.js';
import type { WorkerRow } from './worker-row.js';

/** How long the rows of other servers' workers are watched, in milliseconds: such a worker writes every 5 s. */
const WATCH_MS = 10_000;

/** How often, in milliseconds. */
const LOOK_MS = 250;

/** A worker that wrote through another server in the last minute. */
interface Other {
  readonly id: string;
  readonly name: string;
  readonly host: string;
  readonly server: string;
  readonly own: string;
  readonly written_at: string;
}

/**
 * Refuses a worker while another one writes through another server. Only a row that changes during the watch shows such a worker. After a
 * fail-over the rows of the old server stay as they are: their workers have died, or write through the new server.
 *
 * @throws DriverError `EngineUnsuitable`
 */
export async function refuseOtherWriters(
  on: MysqlTransaction,
  sql: Statements,
  row: WorkerRow,
): Promise<void> {
  const seen = new Map<string, string>();
  const until = performance.now() + WATCH_MS;
  for (;;) {
    const others = await query<Other>(on, sql.workers.otherWriters, [row.id]);
    for (const other of others) {
      const before = seen.get(other.id);
      if (before !== undefined && before !== other.written_at) throw unsuitable(other);
      seen.set(other.id, other.written_at);
    }
    if (others.length === 0 || performance.now() >= until) return;
    await sleep(LOOK_MS);
    // The address may lead to another server by now.
    await row.showServer(on);
  }
}

function unsuitable({ name, host, server, own }: Other): DriverError {
  return new DriverError(
    'EngineUnsuitable',
    `This worker writes through the server '${own}', and the worker '${name}' on ${host} through the server '${server}'. Each of them has row ` +
      'locks of its own, so jobs would run twice. Let all workers and producers use one server that writes. To take the risk, pass ' +
      "mysql({ severalWriters: 'allow' }).",
  );
}
