import type { Driver } from '@rowlock/core';
import type { Anchor } from '@rowlock/core/driver';
import type { DriverProcess, TestDatabase } from '../driver-harness.js';
import { endProcess } from '../stage.js';

/** Where handlers write to; each row names the job that it was written for. */
export const EFFECTS = 'effect';

/** A worker's session with the server. Ended by `end`, it is another one the next time that it is asked for. */
export interface WorkerSession {
  readonly workerId: string;
  end(): Promise<void>;
}

/** A migrated database, and for each actor's letter a process, kept from one order to the next. */
export interface Scene<Tx> {
  readonly database: TestDatabase<Tx>;
  /** For what is no step. */
  readonly driver: Driver<Tx>;
  process(letter: string): Promise<DriverProcess<Tx>>;
  /** The session that proves the worker of this letter alive, on a connection that is not its process's. */
  session(letter: string): Promise<WorkerSession>;
  close(): Promise<void>;
}

export async function openScene<Tx>(database: TestDatabase<Tx>): Promise<Scene<Tx>> {
  const aside = await database.process();
  await aside.driver.schema.migrate();
  await database.reader.exec(`CREATE TABLE ${EFFECTS} (job VARCHAR(40))`);
  const processes = new Map<string, DriverProcess<Tx>>();
  const anchors = new Map<string, Anchor>();
  return {
    database,
    driver: aside.driver,

    async process(letter) {
      const process = processes.get(letter) ?? (await database.process());
      processes.set(letter, process);
      return process;
    },

    async session(letter) {
      const info = { name: letter, host: 'interleavings', pid: 1, queues: ['interleavings'] };
      const anchor = anchors.get(letter) ?? (await aside.driver.workers.anchor(info));
      anchors.set(letter, anchor);
      return {
        workerId: anchor.workerId,
        async end() {
          anchors.delete(letter);
          await anchor.release();
        },
      };
    },

    async close() {
      await Promise.all([...anchors.values()].map((anchor) => anchor.release()));
      await Promise.all([aside, ...processes.values()].map(endProcess));
    },
  };
}
