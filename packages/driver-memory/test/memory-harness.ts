import { setImmediate as turn } from 'node:timers/promises';
import { DriverError } from '@rowlock/core';
import type { DriverHarness, DriverProcess, Samples, TestDatabase } from '@rowlock/driver-conformance';
import { Database } from '../src/engine/database.js';
import { type MemoryDriver, type MemoryTransaction, memory } from '../src/index.js';
import { openReader } from './memory-reader.js';
import { plainSql } from './plain-sql.js';

/** @param sessions The drivers', unless a test wants others. */
export function openMemoryHarness(sessions: 'own' | 'shared' = 'own'): DriverHarness<MemoryTransaction> {
  return {
    database: async () => openDatabase(sessions),
    close: async () => {},
  };
}

function openDatabase(usual: 'own' | 'shared'): TestDatabase<MemoryTransaction> {
  const database = new Database();
  const sql = plainSql();
  const processes: DriverProcess<MemoryTransaction>[] = [];
  const ended = new Set<MemoryDriver>();
  let opened = 0;
  const openTransactions = (): readonly string[] => [...database.transactions].map(String);

  return {
    url: 'memory:',
    reader: openReader(database, (statement) => sql.onRecords(database, statement)),
    samples: samples(database),
    mishaps: {
      truncate: { because: 'Nobody can empty the tables, and no id comes again.' },
      refuse: { because: 'The tables hold every text.' },
      passing: [],
      refuseRows: { because: 'The tables have no triggers.' },
    },
    run: sql.inTransaction,

    async process({ sessions = usual } = {}) {
      const driver = memory({ database, sessions });
      const process = openProcess(`process ${++opened}`, driver, () => ended.add(driver));
      processes.push(process);
      return process;
    },

    async caller() {
      const tx = database.begin();
      return { tx, commit: () => tx.commit(), rollback: () => tx.rollback() };
    },

    async leaks() {
      const connections = [...ended].reduce((sum, driver) => sum + driver.connections, 0);
      return [...openTransactions(), ...(connections === 0 ? [] : [`${connections} of ended processes`])];
    },

    openTransactions: async () => openTransactions(),

    waits: async () =>
      [...database.transactions].flatMap((tx) =>
        tx.waitsFor === undefined ? [] : [{ waiting: ownerOf(tx), holder: ownerOf(tx.waitsFor) }],
      ),

    async close() {
      await Promise.all(processes.map((process) => process.kill()));
    },
  };
}

/** The name of the process whose transaction it is. */
function ownerOf(tx: { toString(): string }): string {
  return / of (process \d+)$/.exec(String(tx))?.[1] ?? 'plain';
}

function openProcess(
  name: string,
  driver: MemoryDriver,
  ended: () => void,
): DriverProcess<MemoryTransaction> {
  return {
    name,
    driver,
    // They have no names, and end at once: none that was ended is ever left.
    sessions: async () => [],
    async disconnect() {
      driver.disconnect();
    },
    async forget() {
      driver.disconnect();
    },
    async kill() {
      driver.kill();
      ended();
    },
    async swallow() {
      driver.kill();
      ended();
    },
    async close() {
      await driver.close();
      ended();
    },
  };
}

/** Work that the tables refuse with each of their codes. */
function samples(database: Database): Samples {
  /** Two transactions; neither is left open. */
  async function twoTransactions(
    work: (a: MemoryTransaction, b: MemoryTransaction) => Promise<unknown>,
  ): Promise<void> {
    const [a, b] = [database.begin(), database.begin()];
    try {
      await work(a, b);
    } finally {
      await a.rollback();
      await b.rollback();
    }
  }

  return {
    LockNotAvailable: async () => {
      await database.set('sample', 'a', 1);
      const [a, b] = [database.beginTransaction(), database.beginTransaction()];
      try {
        await a.run(() => a.takeNow(database.records.rowsBy('table', 'sample')));
        await b.run(() => b.takeNow(database.records.rowsBy('table', 'sample')));
      } finally {
        a.rollbackNow();
        b.rollbackNow();
      }
    },
    LockTimeout: { because: 'A lock is waited for as long as it is held.' },
    Deadlock: () =>
      twoTransactions(async (a, b) => {
        await a.set('sample', 'a', 1);
        await b.set('sample', 'b', 1);
        const waiting = a.set('sample', 'b', 2).catch(() => {});
        await turn();
        await b.set('sample', 'a', 2).finally(() => b.rollback());
        await waiting;
      }),
    SerializationFailure: {
      because: 'There is no isolation level but READ COMMITTED, which has no such failure.',
    },
    StatementCancelled: { because: 'Nobody can stop a statement, and none has a limit.' },
    OutOfResources: { because: 'The memory that is left is no business of the tables.' },
    UniqueViolation: () =>
      twoTransactions(async (a) => {
        await a.insert('sample', 'twice', 1);
        await a.insert('sample', 'twice', 2);
      }),
    PermissionDenied: { because: 'There are no accounts: whoever has the database may do everything.' },
    Unknown: {
      because: `Everything that the tables refuse has a ${DriverError.name} with a code of its own.`,
    },
  };
}
