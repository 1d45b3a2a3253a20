import { createRowlock, type Driver, type Logger, type Rowlock } from '@rowlock/core';
import { mysql } from '@rowlock/driver-mysql';
import { postgres } from '@rowlock/driver-postgres';
import { copyItem, enqueueLook } from './copy-item.js';
import { items } from './item.js';
import { mysqlSource } from './mysql-source.js';
import { MysqlTarget } from './mysql-target.js';
import { postgresSource } from './postgres-source.js';
import { PostgresTarget } from './postgres-target.js';
import type { Source } from './source.js';
import type { Target } from './target.js';

export interface Composition {
  /** On the source. */
  readonly rowlock: Pick<Rowlock<unknown>, 'worker' | 'insight' | 'jobs'>;
  /** Captures the source's table, creates the copy, and enqueues the rows that are in either of them already. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

/** Puts the parts together. The only place that names the databases: those of the URLs' schemes. Nothing is connected yet. */
export function compose(sourceUrl: string, targetUrl: string, log: Logger): Composition {
  const target = isMysql(targetUrl)
    ? new MysqlTarget(targetUrl)
    : new PostgresTarget(targetUrl, (error) => log.warn({ error }, 'an idle connection broke'));
  return isMysql(sourceUrl)
    ? composeOn(mysql({ uri: sourceUrl }), mysqlSource, target, log)
    : composeOn(postgres({ connectionString: sourceUrl }), postgresSource, target, log);
}

function composeOn<Tx>(driver: Driver<Tx>, source: Source<Tx>, target: Target, log: Logger): Composition {
  const rowlock = createRowlock({ driver, handlers: [copyItem(source, target)], captures: [items], log });
  return {
    rowlock,
    async begin() {
      await rowlock.migrate();
      await target.prepare();
      await rowlock.captures.apply();
      await rowlock.captures.backfill(items);
      await enqueueLook(rowlock);
    },
    async close() {
      await rowlock.close();
      await target.close();
    },
  };
}

function isMysql(url: string): boolean {
  return new URL(url).protocol === 'mysql:';
}
