import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDriverError } from '@rowlock/core';
import { onFreePort, startEmbeddedPostgres } from '@rowlock/servers';
import { ConfigError } from '../environment.js';
import { PORT_TAKEN } from '../port-taken.js';
import { Part } from './part.js';

/** How long a part may take to end after its drain: it breaks off what it has begun, and gives it back. In milliseconds. */
const AFTER_DRAIN_MS = 10_000;

/** An application on this machine, and nothing to set up: its parts are processes, and a database if none is given. */
export class Demo {
  /** Where what people do is kept: `DEMO_FOLDER`, or `.rowlock` in the repository, or here if this is not run from a checkout. */
  readonly folder: string;
  /** How long a part may go on with what it has begun, in milliseconds. */
  drainMs = 0;
  readonly #parts: Part[] = [];
  readonly #closes: (() => Promise<unknown>)[] = [];
  #stopping = false;

  readonly #hint: (error: ConfigError) => string;

  /**
   * @param folder `DEMO_FOLDER`.
   * @param hint Says more of a wrong environment.
   */
  constructor(folder: string | undefined, hint: (error: ConfigError) => string = () => '') {
    this.folder = dataFolder(folder);
    this.#hint = hint;
  }

  /** Runs `work`, which starts everything. What a person can mend is said in one sentence, and the process ends. */
  async start(work: () => Promise<void>): Promise<void> {
    this.#stopOnSignals();
    try {
      await work();
    } catch (error) {
      if (this.#stopping) return;
      console.error(this.#sentenceOf(error));
      await this.#stop();
      process.exit(1);
    }
  }

  /** Has something closed at the end, after what was started later. */
  closeAtEnd(close: () => Promise<unknown>): void {
    this.#closes.unshift(close);
  }

  /** A database of the demo's own, which keeps what is in it, in a folder of this name. */
  async startPostgres(name: string): Promise<{ readonly url: string; readonly dataDir: string }> {
    const postgres = await startEmbeddedPostgres({
      dataDir: join(this.folder, name),
      persistent: true,
    });
    this.closeAtEnd(() => postgres.stop());
    return postgres;
  }

  /** Starts a process, and waits until it says that it works. */
  async launch(name: string, entry: URL, env: NodeJS.ProcessEnv, afterDeath: string): Promise<Part> {
    if (this.#stopping) throw new Error('Stopped.');
    const part = new Part({
      name,
      entry,
      env,
      onDeath: (how) => {
        if (!this.#stopping) console.error(`\n${name} died (${how}). ${afterDeath}\n`);
      },
    });
    this.#parts.push(part);
    await part.ready();
    return part;
  }

  /**
   * Starts a front end, on the port or the next one that is free. A port that is free now may be taken by the time that the front end
   * listens, as by a second demo.
   */
  async launchWeb(
    entry: URL,
    port: number,
    envOn: (port: number) => NodeJS.ProcessEnv,
  ): Promise<{ readonly port: number; readonly part: Part }> {
    const { port: free, server } = await onFreePort(port, `exit code ${PORT_TAKEN}`, (each) =>
      this.launch('web', entry, envOn(each), 'Stop with Ctrl-C and start again.'),
    );
    return { port: free, part: server };
  }

  /** Starts a worker, and waits until it says that it works. */
  launchWorker(name: string, entry: URL, env: NodeJS.ProcessEnv): Promise<Part> {
    const afterDeath = 'What it had goes to another worker; it is not started again by itself.';
    return this.launch(name, entry, { ...env, WORKER_NAME: name }, afterDeath);
  }

  /** Ctrl-C stops everything in good order; a second one at once. */
  #stopOnSignals(): void {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (this.#stopping) {
          for (const part of this.#parts) part.kill();
          // The database's guard stops it when this process is gone.
          process.exit(1);
        }
        console.log('\nStopping … (Ctrl-C again: at once)');
        this.#stop().then(
          () => process.exit(0),
          (error: unknown) => {
            console.error(error);
            process.exit(1);
          },
        );
      });
    }
  }

  async #stop(): Promise<void> {
    this.#stopping = true;
    await Promise.all(this.#parts.map((part) => part.stop(this.drainMs + AFTER_DRAIN_MS)));
    for (const close of this.#closes) await close();
  }

  /** Anything else than what a person can mend is shown whole. */
  #sentenceOf(error: unknown): unknown {
    if (error instanceof ConfigError) return `${error.message}${this.#hint(error)}`;
    if (isDriverError(error, 'ConnectionLost') || isDriverError(error, 'PermissionDenied')) {
      return `${error.message}\nIs the server of DATABASE_URL running, and are its user and password right? Without DATABASE_URL the demo brings a database of its own.`;
    }
    if (isDriverError(error, 'SchemaDiffers'))
      return `${error.message}\nThe demo's own database is in ${this.folder}: delete it, and the demo begins anew.`;
    return error;
  }
}

function dataFolder(given: string | undefined): string {
  const folder =
    given ?? join(checkout(dirname(fileURLToPath(import.meta.url))) ?? process.cwd(), '.rowlock');
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The nearest folder above that is a checkout of the repository. */
function checkout(folder: string): string | undefined {
  if (existsSync(join(folder, 'pnpm-workspace.yaml'))) return folder;
  return dirname(folder) === folder ? undefined : checkout(dirname(folder));
}
