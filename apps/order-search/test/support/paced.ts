import { setTimeout as sleep } from 'node:timers/promises';
import type { LegacyDatabase, LegacySession } from '../../src/legacy/legacy-database.js';

/** Counts the rows that a database's writers change, and lets them change no more a second than they should. */
export class Pace {
  changed = 0;
  readonly #perSecond: number;
  readonly #start = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Resolves when so many changes are due. */
  async turn(): Promise<void> {
    const dueMs = (this.changed / this.#perSecond) * 1000;
    await sleep(Math.max(0, dueMs - (performance.now() - this.#start)));
  }

  counting(database: LegacyDatabase): LegacyDatabase {
    const counted = (session: LegacySession): LegacySession => ({
      ...session,
      run: async (sql, values) => {
        const rows = await session.run(sql, values);
        this.changed += rows;
        return rows;
      },
    });
    return {
      ...database,
      ...counted(database),
      transaction: (work) => database.transaction((session) => work(counted(session))),
    };
  }
}
