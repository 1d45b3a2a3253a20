import '@rowlock/servers/vitest';
import { createRowlock, defineCapture, type Rowlock } from '@rowlock/core';
import type { CaptureOptions } from '@rowlock/core/types';
import { freshDatabase } from '@rowlock/servers';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, inject, onTestFinished } from 'vitest';
import { type PostgresTransaction, postgres } from '../src/index.js';

export type Options = Partial<CaptureOptions<string, string, string>>;

/** A database with Rowlock's tables and without jobs, for the tests of a file. */
export class CaptureStage {
  url = '';
  client = new pg.Client();
  driver = postgres();
  #drop = async (): Promise<void> => {};

  constructor() {
    beforeAll(async () => {
      const { url, drop } = await freshDatabase(inject('postgresUrl'));
      this.url = url;
      this.#drop = drop;
      this.driver = postgres({ connectionString: url });
      await this.driver.schema.migrate();
      this.client = await this.connected();
    });
    afterAll(async () => {
      await this.client.end();
      await this.driver.close();
      await this.#drop();
    });
    beforeEach(() => this.client.query('TRUNCATE rowlock.job'));
  }

  async connected(to = this.url): Promise<pg.Client> {
    const opened = new pg.Client(to);
    await opened.connect();
    return opened;
  }

  /** Another user of the database, in the schema `app` at first. He is gone after the test. */
  async user(name: string): Promise<{ readonly role: string; readonly href: string }> {
    const own = new URL(this.url);
    const role = `${name}_${own.pathname.slice(-8)}`;
    await this.client.query(`CREATE ROLE ${role} LOGIN PASSWORD 'change-me'`);
    onTestFinished(
      async () => void (await this.client.query(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`)),
    );
    own.username = role;
    own.password = 'change-me';
    return { role, href: own.href };
  }

  /** Runs the statements that make a table `t` in the schema `app`, and captures it. All is gone after the test. */
  async captured(
    statements: string,
    options: Options | readonly Options[] = {},
    isApplied = true,
  ): Promise<Rowlock<PostgresTransaction>> {
    await this.client.query(`CREATE SCHEMA app; SET search_path = app; ${statements}`);
    const captures = [options].flat().map((each, n) =>
      defineCapture<string, string, string>({
        name: `c${n}`,
        table: 'app.t',
        id: ['id'],
        kind: 'k',
        ...each,
      }),
    );
    const rowlock = createRowlock({ driver: this.driver, captures });
    onTestFinished(async () => {
      await rowlock.captures.drop();
      await this.client.query('RESET search_path; DROP SCHEMA app CASCADE');
    });
    if (isApplied) await rowlock.captures.apply();
    return rowlock;
  }

  /** Each job: its operation, and its key or the number of its rows. */
  async changes(): Promise<readonly string[]> {
    const { rows } = await this.client.query(
      `SELECT payload->>'op' || coalesce(' of ' || (payload->>'of'), '') || ' ' ||
              coalesce(key, payload->>'rows', '-') AS change
       FROM rowlock.job ORDER BY id`,
    );
    return rows.map(({ change }) => change);
  }

  async payloads(): Promise<readonly unknown[]> {
    const { rows } = await this.client.query('SELECT payload FROM rowlock.job ORDER BY id');
    return rows.map(({ payload }) => payload);
  }

  /** As 180004. */
  async version(): Promise<number> {
    return Number((await this.client.query('SHOW server_version_num')).rows[0].server_version_num);
  }
}
