import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDriverError } from '@rowlock/core';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '@rowlock/google-sheets-emulator';
import { type EmbeddedPostgres, freePort, startEmbeddedPostgres } from '@rowlock/servers';
import { compose } from '../composition.js';
import { ConfigError, readConfig } from '../config.js';
import { createLog } from '../log.js';
import { Part } from './part.js';
import { welcome } from './welcome.js';

/** How long a part may take to finish what it has begun, in milliseconds. */
const GRACE_MS = 5_000;

/** How long the emulated Google takes for an answer, in milliseconds. */
const GOOGLE_DELAY_MS = 400;

const WORKERS = ['worker-1', 'worker-2'];

/** A database, a stand-in for Google, the front end and two workers: the last three as processes of their own. */
export class Demo {
  readonly #folder = dataFolder();
  readonly #parts: Part[] = [];
  #postgres: EmbeddedPostgres | undefined;
  #emulator: GoogleSheetsEmulator | undefined;
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
    const port = await freePort(Number(process.env.PORT) || 3000);
    const publicUrl = process.env.PUBLIC_URL ?? `http://localhost:${port}`;
    const env = {
      ...process.env,
      DATABASE_URL: process.env.DATABASE_URL ?? (await this.#startPostgres()),
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      ...(await this.#google()),
      ...(process.env.JWKS_URL === undefined && { DEMO_SIGN_IN: '1' }),
    };
    // All mistakes are told here, before three processes tell them again.
    const config = readConfig(env, 'web');
    const { migrate, close } = compose(config, createLog('demo', 'warn'));
    await migrate();
    await close();

    if (this.#stopping) return;
    const web = this.#launch('web', 'web.js', env);
    const workers = WORKERS.map((name) => this.#launch(name, 'worker.js', { ...env, WORKER_NAME: name }));
    await Promise.all([web, ...workers].map((part) => part.ready()));
    console.log(
      welcome({
        address: `http://localhost:${port}`,
        sheets: this.#emulator?.url,
        parts: this.#parts,
        demo: config.web.auth.by === 'demo',
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
        console.log('\nStopping …');
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
    await Promise.all(this.#parts.map((part) => part.stop(GRACE_MS)));
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

  /** The emulator, unless there is a way to Google itself. */
  async #google(): Promise<NodeJS.ProcessEnv> {
    const { GOOGLE_APPLICATION_CREDENTIALS, GOOGLE_CREDENTIALS_JSON, GOOGLE_ROOT_URL } = process.env;
    if (GOOGLE_APPLICATION_CREDENTIALS ?? GOOGLE_CREDENTIALS_JSON ?? GOOGLE_ROOT_URL) return {};
    this.#emulator = await startGoogleSheetsEmulator({
      // The links of spreadsheets from an earlier start lead here.
      port: await freePort(3100),
      dataFile: join(this.#folder, 'google-sheets.json'),
      // About as slow as Google's own servers: fast enough to wait for, and slow enough to watch.
      latencyMs: GOOGLE_DELAY_MS,
    });
    return { GOOGLE_ROOT_URL: `${this.#emulator.url}/` };
  }

  #launch(name: string, entry: 'web.js' | 'worker.js', env: NodeJS.ProcessEnv): Part {
    const part = new Part({
      name,
      entry,
      env,
      onDeath: (how) => {
        if (!this.#stopping) console.error(DEATH[entry](name, how));
      },
    });
    this.#parts.push(part);
    return part;
  }
}

/** What a person can mend is said in one sentence; anything else is shown whole. */
function sentenceOf(error: unknown): unknown {
  if (error instanceof ConfigError) return error.message;
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
function dataFolder(): string {
  const given = process.env.DEMO_FOLDER;
  const repository = fileURLToPath(new URL('../../../../', import.meta.url));
  const isCheckout = existsSync(join(repository, 'pnpm-workspace.yaml'));
  const folder = given ?? join(isCheckout ? repository : process.cwd(), '.rowlock');
  mkdirSync(folder, { recursive: true });
  return folder;
}
