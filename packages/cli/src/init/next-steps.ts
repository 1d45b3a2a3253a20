import { scriptCall, WORDS } from './manager.js';
import type { Choices } from './plan.js';
import type { Project } from './project.js';
import type { Written } from './write-files.js';

/** What people read at the end: what was written, and the commands to go on with. */
export function nextSteps(
  folder: string,
  { manifest, framework }: Project,
  { written, kept, changed, manager }: Written & Choices & { readonly changed: readonly string[] },
  dryRun: boolean,
): readonly string[] {
  const would = dryRun ? 'Would write' : 'Wrote';
  const words = WORDS[manager];
  const place = /^(?!-)[\w./-]*$/.test(folder) ? folder : quoted(folder);
  return [
    ...written.map((path) => `${would} ${path}`),
    ...changed.map((path) => `${manifest === null ? would : dryRun ? 'Would add to' : 'Added to'} ${path}`),
    ...kept.map((path) => `${path} is there already, and stays. --force replaces it.`),
    'Go on with',
    `  ${place === '' ? '' : `cd ${place} && `}${words.install}`,
    `  ${manifest === null ? words.test : scriptCall(manager, 'jobs:test')}`,
    `  docker compose up -d --wait && ${scriptCall(manager, 'jobs:worker')}`,
    'The second settles a job in memory, without a database. The third runs a worker on compose.yaml, or on the DATABASE_URL that you set.',
    `Beside it, ${scriptCall(manager, 'jobs:welcome', 'Ada')} enqueues a job.`,
    ...(framework === 'nestjs' ? [NEST] : []),
  ];
}

/** As a shell takes it, which replaces nothing between single quotes. */
function quoted(folder: string): string {
  return `'./${folder.replaceAll("'", "'\\''")}'`;
}

const NEST =
  'Nest: @rowlock/nestjs makes handlers of providers. See https://github.com/rowlock/rowlock/blob/main/docs/use/nestjs.md';
