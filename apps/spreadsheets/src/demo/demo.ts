import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDriverError } from '@rowlock/core';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '@rowlock/google-sheets-emulator';
import { type EmbeddedPostgres, onFreePort, startEmbeddedPostgres } from '@rowlock/servers';
import { compose } from '../composition.js';
import { ConfigError, GOOGLE, readConfig, withoutEmpty } from '../config.js';
import { createLog } from '../log.js';
import { PORT_TAKEN } from '../port-taken.js';
import { Part } from './part.js';
import { welcome } from './welcome.js';

/** How long a part may take to end after its drain: it breaks off what it has begun, and gives it back. In milliseconds. */
const AFTER_DRAIN_MS = 10_000;

/** About as slow as Google's own servers: fast enough to wait for, and slow enough to watch. In milliseconds. */
const GOOGLE_DELAY_MS = 400;

const WORKERS = ['worker-1', 'worker-2'];

/** Stands for what the demo brings, until its address is known. */
const NOT_YET = {
  database: { DATABASE_URL: 'postgres://localhost/not-yet' },
  google: { GOOGLE_ROOT_URL: 'http://localhost/not-yet/' },
};

/** A database, a stand-in for Google, the front end and two workers: the last three as processes of their own. */
export class Demo {
  readonly #given = withoutEmpty(process.env);
  readonly #folder = dataFolder(this.#given.DEMO_FOLDER);
  readonly #sheetsFile = join(this.#folder, 'google-sheets.json');
  readonly #parts: Part[] = [];
  #postgres: EmbeddedPostgres | undefined;
  #emulator: GoogleSheetsEmulator | undefined;
  #drainMs = 0;
  #stopping = false;

  async start(): Promise<void> {
    try {
      await this.#start();
    } catch (error) {
      if (this.#stopping) return;
      console.error(sentenceOf(error));
      await this.#stop();
      process.exit(1);
    }
  }

  async #start(): Promise<void> {
    const given: NodeJS.ProcessEnv = {
      ...this.#given,
      ...(this.#given.JWKS_URL === undefined && { DEMO_SIGN_IN: '1' }),
    };
    const namesGoogle = GOOGLE.some((name) => given[name] !== undefined);
    // All mistakes are told here, before anything is started and before three processes tell them again.
    const complete = { ...NOT_YET.database, ...(!namesGoogle && NOT_YET.google), ...given };
    const { web: wanted, drainMs } = readConfig(complete, 'web');
    this.#drainMs = drainMs;
    readConfig(complete, 'worker');
    const env = {
      ...given,
      DATABASE_URL: given.DATABASE_URL ?? (await this.#startPostgres()),
      ...(!namesGoogle && { GOOGLE_ROOT_URL: await this.#startGoogle() }),
    };
    const { migrate, close } = compose(readConfig(env, 'migration'), createLog('demo', 'warn'));
    await migrate();
    await close();

    // A port that is free now may be taken by the time that the front end listens, as by a second demo.
    const { port, server: web } = await onFreePort(wanted.port, `exit code ${PORT_TAKEN}`, (free) =>
      this.#launch('web', 'web.js', onPort(free, env)),
    );
    const workers = await Promise.all(
      WORKERS.map((name) => this.#launch(name, 'worker.js', { ...onPort(port, env), WORKER_NAME: name })),
    );
    console.log(
      welcome({
        address: `http://localhost:${port}`,
        sheets: this.#emulator?.url,
        parts: [web, ...workers],
        demo: wanted.auth.by === 'demo',
        keptIn: this.#keptIn(),
      }),
    );
  }

  /** Ctrl-C stops everything in good order; a second one at once. */
  stopOnSignals(): void {
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
    await Promise.all(this.#parts.map((part) => part.stop(this.#drainMs + AFTER_DRAIN_MS)));
    await this.#emulator?.close();
    await this.#postgres?.stop();
  }

  async #startPostgres(): Promise<string> {
    this.#postgres = await startEmbeddedPostgres({
      dataDir: join(this.#folder, 'postgres'),
      persistent: true,
    });
    return this.#postgres.url;
  }

  async #startGoogle(): Promise<string> {
    // The links of spreadsheets from an earlier start lead to this port.
    const { server } = await onFreePort(3100, 'already in use', (port) =>
      startGoogleSheetsEmulator({ port, dataFile: this.#sheetsFile, latencyMs: GOOGLE_DELAY_MS }),
    );
    this.#emulator = server;
    return `${this.#emulator.url}/`;
  }

  #keptIn(): string[] {
    return [
      this.#postgres?.dataDir ?? 'the database of DATABASE_URL',
      ...(this.#emulator ? [this.#sheetsFile] : []),
    ];
  }

  async #launch(name: string, entry: 'web.js' | 'worker.js', env: NodeJS.ProcessEnv): Promise<Part> {
    if (this.#stopping) throw new Error('Stopped.');
    const part = new Part({
      name,
      entry,
      env,
      onDeath: (how) => {
        if (!this.#stopping) console.error(DEATH[entry](name, how));
      },
    });
    this.#parts.push(part);
    await part.ready();
    return part;
  }
}

function onPort(port: number, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PORT: String(port), PUBLIC_URL: env.PUBLIC_URL ?? `http://localhost:${port}` };
}

const KEY_FILE = 'GOOGLE_APPLICATION_CREDENTIALS';
/** Other programs set it for the whole session, to what is no service account's key. */
const WITHOUT_KEY_FILE = `To run without Google, whatever ${KEY_FILE} is set to: ${KEY_FILE}= npm start`;

/** What a person can mend is said in one sentence; anything else is shown whole. */
function sentenceOf(error: unknown): unknown {
  if (error instanceof ConfigError) {
    const isOfGoogle = error.mistakes.some((mistake) => mistake.includes(KEY_FILE));
    return isOfGoogle ? `${error.message}\n${WITHOUT_KEY_FILE}` : error.message;
  }
  if (isDriverError(error, 'ConnectionLost') || isDriverError(error, 'PermissionDenied')) {
    return `${error.message}\nIs the server of DATABASE_URL running, and are its user and password right? Without DATABASE_URL the demo brings a database of its own.`;
  }
  return error;
}

const DEATH = {
  'web.js': (name: string, how: string) => `\n${name} died (${how}). Stop with Ctrl-C and start again.\n`,
  'worker.js': (name: string, how: string) =>
    `\n${name} died (${how}). What it had goes to another worker; it is not started again by itself.\n`,
};

/** `DEMO_FOLDER`, or `.rowlock` in the repository, or here if this is not run from a checkout. */
function dataFolder(given: string | undefined): string {
  const repository = fileURLToPath(new URL('../../../../', import.meta.url));
  const isCheckout = existsSync(join(repository, 'pnpm-workspace.yaml'));
  const folder = given ?? join(isCheckout ? repository : process.cwd(), '.rowlock');
  mkdirSync(folder, { recursive: true });
  return folder;
}
