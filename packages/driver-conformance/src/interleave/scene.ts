import type { Driver } from '@rowlock/core';
import type { DriverProcess, TestDatabase } from '../driver-harness.js';
import { endProcess } from '../stage.js';

/** Where handlers write to; each row names the job that it was written for. */
export const EFFECTS = 'effect';

/** A migrated database, and for each actor's letter a process, kept from one order to the next. */
export interface Scene<Tx> {
  readonly database: TestDatabase<Tx>;
  /** For what is no step. */
  readonly driver: Driver<Tx>;
  process(letter: string): Promise<DriverProcess<Tx>>;
  close(): Promise<void>;
}

export async function openScene<Tx>(database: TestDatabase<Tx>): Promise<Scene<Tx>> {
  const aside = await database.process();
  await aside.driver.migrate();
  await database.reader.exec(`CREATE TABLE ${EFFECTS} (queue VARCHAR(64), job VARCHAR(40))`);
  const processes = new Map<string, DriverProcess<Tx>>();
  return {
    database,
    driver: aside.driver,

    async process(letter) {
      const process = processes.get(letter) ?? (await database.process());
      processes.set(letter, process);
      return process;
    },

    async close() {
      await Promise.all([aside, ...processes.values()].map(endProcess));
    },
  };
}
