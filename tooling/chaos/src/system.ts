import type { Driver } from '@rowlock/core';
import type { Tables } from './history/tables.js';

export const DATABASES = ['postgres', 'mysql'] as const;

export type DatabaseName = (typeof DATABASES)[number];

export type Row = Readonly<Record<string, unknown>>;

/** A database as chaos sees it: how to work on it with Rowlock, without Rowlock, and against it. */
export interface System<Tx> {
  readonly name: DatabaseName;

  driver(url: string, maxConnections: number): Driver<Tx>;

  /** Says a statement, with `?` for its values, through a transaction of the driver or of the plain client. */
  say(tx: Tx, sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;

  /** The plain client. */
  connect(url: string): Promise<Plain<Tx>>;

  /** A server of chaos's own, that it may kill. */
  startServer(): Promise<Server>;

  /** What handlers use beside Rowlock's tables: `chaos_effect (tag, run)` and `chaos_entity (name)`. */
  readonly applicationTables: readonly string[];

  /** What the server calls the number of a session. */
  readonly session: string;

  /** Rowlock's own, by name. */
  readonly jobTable: string;

  /** A column whose name the database reserves. */
  readonly keyColumn: string;

  /** How many due jobs of a queue are not settled, without and with limits, by the claim's own indexes. Takes the queue twice. */
  readonly backlog: string;

  /** How many jobs there are of each tick: of a schedule, at an instant. */
  readonly ticks: string;

  /** The jobs of the subjects, each with its tokens and their number. */
  readonly subjectJobs: string;

  /** All slots of limits. */
  readonly slots: string;

  /** Those that nobody has: locks them. */
  readonly freeSlots: string;

  /** Everything that the checker wants to know of a database. */
  readTables(plain: Plain<Tx>): Promise<Tables>;

  /** Ends those sessions of this database that are chosen by their number, but for the asking one. */
  endSessions(plain: Plain<Tx>, choose: (session: number) => boolean): Promise<void>;

  /** The settings with which an operator bounds sessions, and how they are undone. They concern sessions that begin later. */
  readonly impatience: { readonly on: readonly string[]; readonly off: readonly string[] };

  /**
   * Triggers by which a share of the writes to Rowlock's tables, the one that `chaos_disk` holds, fail as they do when the
   * disk is full.
   */
  readonly fullDisk: readonly string[];

  /** Begins a transaction that sees the past until it ends. */
  readonly oldSnapshot: readonly string[];
}

/** A connection of the database's plain client. */
export interface Plain<Tx> {
  readonly tx: Tx;
  /** The server's number for it. */
  session(): Promise<number>;
  ask(sql: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  end(): Promise<void>;
}

export interface Server {
  readonly host: string;
  readonly port: number;
  /** An empty database on it. */
  fresh(): Promise<{ readonly url: string; drop(): Promise<void> }>;
  /** Ends the server at once; what was committed stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and data. Resolves when it takes connections. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /**
   * Makes a standby that every commit waits for. What it returns kills the server and promotes the standby, which takes the
   * server's place from then on, at another port. Only where the database has such a thing.
   */
  readonly standBy?: () => Promise<() => Promise<void>>;
}
