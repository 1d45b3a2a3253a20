import { join } from 'node:path';
import { type ConfigError, createLog, Demo, withoutEmpty } from '@rowlock/app-shared';
import { type GoogleSheetsEmulator, startGoogleSheetsEmulator } from '@rowlock/google-sheets-emulator';
import { onFreePort } from '@rowlock/servers';
import { compose } from '../composition.js';
import { GOOGLE, readConfig } from '../config.js';
import { welcome } from './welcome.js';

/** About as slow as Google's own servers: fast enough to wait for, and slow enough to watch. In milliseconds. */
const GOOGLE_DELAY_MS = 400;

const WORKERS = ['worker-1', 'worker-2'];

const WEB = new URL('../web.js', import.meta.url);
const WORKER = new URL('../worker.js', import.meta.url);

/** Stands for what the demo brings, until its address is known. */
const NOT_YET = {
  database: { DATABASE_URL: 'postgres://localhost/not-yet' },
  google: { GOOGLE_ROOT_URL: 'http://localhost/not-yet/' },
};

/** A database, a stand-in for Google, the front end and two workers: the last three as processes of their own. */
export async function startDemo(): Promise<void> {
  const given = withoutEmpty(process.env);
  const demo = new Demo(given.DEMO_FOLDER, hintOf);
  await demo.start(() => startParts(demo, given));
}

async function startParts(demo: Demo, settings: NodeJS.ProcessEnv): Promise<void> {
  const given: NodeJS.ProcessEnv = {
    ...settings,
    ...(settings.JWKS_URL === undefined && { DEMO_SIGN_IN: '1' }),
  };
  const namesGoogle = GOOGLE.some((name) => given[name] !== undefined);
  // All mistakes are told here, before anything is started and before three processes tell them again.
  const complete = { ...NOT_YET.database, ...(!namesGoogle && NOT_YET.google), ...given };
  const { web: wanted, drainMs } = readConfig(complete, 'web');
  readConfig(complete, 'worker');
  demo.drainMs = drainMs;

  const sheetsFile = join(demo.folder, 'google-sheets.json');
  const postgres = given.DATABASE_URL === undefined ? await demo.startPostgres('postgres') : undefined;
  const google = namesGoogle ? undefined : await startGoogle(demo, sheetsFile);
  const env = {
    ...given,
    DATABASE_URL: given.DATABASE_URL ?? postgres?.url,
    ...(google && { GOOGLE_ROOT_URL: `${google.url}/` }),
  };
  const { migrate, close } = compose(readConfig(env, 'migration'), createLog('demo', 'warn'));
  await migrate();
  await close();

  const web = await demo.launchWeb(WEB, wanted.port, (port) => onPort(port, env));
  const workers = await Promise.all(
    WORKERS.map((name) => demo.launchWorker(name, WORKER, onPort(web.port, env))),
  );
  console.log(
    welcome({
      address: `http://localhost:${web.port}`,
      sheets: google?.url,
      parts: [web.part, ...workers],
      demo: wanted.auth.by === 'demo',
      keptIn: [postgres?.dataDir ?? 'the database of DATABASE_URL', ...(google ? [sheetsFile] : [])],
    }),
  );
}

async function startGoogle(demo: Demo, dataFile: string): Promise<GoogleSheetsEmulator> {
  // The links of spreadsheets from an earlier start lead to this port.
  const { server } = await onFreePort(3100, 'already in use', (port) =>
    startGoogleSheetsEmulator({ port, dataFile, latencyMs: GOOGLE_DELAY_MS }),
  );
  demo.closeAtEnd(() => server.close());
  return server;
}

function onPort(port: number, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...env, PORT: String(port), PUBLIC_URL: env.PUBLIC_URL ?? `http://localhost:${port}` };
}

const KEY_FILE = 'GOOGLE_APPLICATION_CREDENTIALS';

/** Other programs set it for the whole session, to what is no service account's key. */
function hintOf({ mistakes }: ConfigError): string {
  if (!mistakes.some((mistake) => mistake.includes(KEY_FILE))) return '';
  return `\nTo run without Google, whatever ${KEY_FILE} is set to: ${KEY_FILE}= npm start`;
}
