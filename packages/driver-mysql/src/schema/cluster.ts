import { type MysqlTransaction, query } from '../query.js';
import type { ServerValues } from './server-values.js';

/** Warnings for a server that is not the only one that writes. Row locks and user locks are each server's own. */
export function clusterWarnings(values: ServerValues): readonly string[] {
  const galera = Number(values.get('wsrep_cluster_size') ?? 1);
  const group = values.get('group_replication_single_primary_mode');
  const found = [
    ...(galera > 1 ? [`is one of ${galera} in a Galera cluster`] : []),
    ...(group === 'OFF' ? ['is in a replication group with several primaries'] : []),
  ];
  return found.map(
    (what) =>
      `This server ${what}, where each has row locks of its own: on two of them a job would run twice. Connect all workers and producers to the ` +
      'same one.',
  );
}

interface Writer {
  readonly name: string;
  readonly host: string;
  readonly server: string;
  readonly own: string;
}

/** Warnings for workers that now write through another server than this connection. @throws DriverError */
export async function otherWriterWarnings(on: MysqlTransaction, sql: string): Promise<readonly string[]> {
  const writers = await query<Writer>(on, sql);
  return writers.map(
    ({ name, host, server, own }) =>
      `This connection leads to the server '${own}', and the worker '${name}' on ${host} writes through the server '${server}'. Two servers that ` +
      'write have row locks of their own, so a job would run twice: connect all workers and producers to the same one. After a fail-over this ' +
      'warning ends within 15 s.',
  );
}
