import { type MysqlTransaction, query } from '../query.js';

interface Shown {
  readonly Variable_name: string;
  readonly Value: string;
}

/** Warnings for a server that is not the only one that writes. Row locks and user locks are each server's own. @throws DriverError */
export async function clusterWarnings(on: MysqlTransaction): Promise<readonly string[]> {
  const status = await query<Shown>(on, "SHOW GLOBAL STATUS WHERE Variable_name = 'wsrep_cluster_size'");
  const mode = "SHOW GLOBAL VARIABLES WHERE Variable_name = 'group_replication_single_primary_mode'";
  const [galera, group] = [Number(status[0]?.Value ?? 1), (await query<Shown>(on, mode))[0]?.Value];
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
