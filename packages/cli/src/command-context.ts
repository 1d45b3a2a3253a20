import { setTimeout as sleep } from 'node:timers/promises';
import { createRowlock, type Driver, type Logger, type Rowlock, type RowlockOptions } from '@rowlock/core';
import type { Operator } from '@rowlock/core/types';
import type { Complaints } from './complaints.js';
import { openDriver } from './database/open-driver.js';
import { type Target, targetOf } from './database/target.js';
import { Output } from './output/output.js';
import type { Terminal } from './terminal.js';
import { who } from './who.js';

/** The options of every command. */
interface CommonOptions {
  readonly database?: string | undefined;
  readonly schema?: string | undefined;
  readonly json?: true | undefined;
  readonly as?: string | undefined;
}

/** What a command works with while the database is open. */
export interface Session {
  readonly rowlock: Rowlock<unknown>;
  /** The calls that change something, in the name of who uses the command. */
  readonly operator: Operator;
  /** The name. */
  readonly by: string;
  readonly driver: Driver;
  readonly target: Target;
  readonly output: Output;
  readonly terminal: Terminal;
  readonly complaints: Complaints;
}

interface OpenOptions {
  /** The most connections. Default 4. */
  readonly connections?: number;
  /** What the Rowlock is made with, beside the driver. */
  readonly rowlock?: Omit<RowlockOptions<unknown>, 'driver'>;
}

const nothing = (): void => {};

/** A command shows what it finds itself. */
export const SILENT: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** How long a command waits for its connections to end, which a silent server never lets them: its work is done by then. */
const CLOSE_MS = 2_000;

/** What commands are made with. */
export class CommandContext {
  readonly #options: () => CommonOptions;

  /** @param options Those that the call has, once it is parsed. */
  constructor(
    readonly terminal: Terminal,
    readonly complaints: Complaints,
    options: () => CommonOptions,
  ) {
    this.#options = options;
  }

  get output(): Output {
    return new Output(this.terminal, this.#options().json === true);
  }

  /** The name in `--schema`, or the drivers' default. */
  get schema(): string {
    return this.#options().schema ?? 'rowlock';
  }

  /** @throws Misuse */
  get target(): Target {
    const { database, schema } = this.#options();
    return targetOf(database ?? this.terminal.env.DATABASE_URL, schema);
  }

  /** Does a command's work, and closes the database behind it, whatever comes of it. */
  async withDatabase<Answer>(
    work: (session: Session) => Promise<Answer>,
    { connections = 4, rowlock: options = { log: SILENT } }: OpenOptions = {},
  ): Promise<Answer> {
    const { target, output, terminal, complaints } = this;
    const driver = await openDriver(target, connections);
    const rowlock = createRowlock({ driver, ...options });
    try {
      const by = this.#options().as ?? who();
      return await work({
        rowlock,
        operator: rowlock.as(by),
        by,
        driver,
        target,
        output,
        terminal,
        complaints,
      });
    } finally {
      await Promise.race([rowlock.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
    }
  }
}
