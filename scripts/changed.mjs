// `npm run changed`: the checks, and the tests of the packages that have changed since they last passed, or whose dependencies
// have. Turbo remembers what passed. Arguments go to turbo: `npm run changed -- --filter @rowlock/core`, or `-- --force`.
import { run as check } from './check.mjs';
import { runChild } from './run-child.mjs';

/** They read files of the whole repository. */
const OF_ALL = ['pages', 'rules', 'scripts', 'site'];

/** @returns {Promise<number>} the exit code */
export async function run(args) {
  const checked = await check();
  if (checked !== 0) return checked;
  // One after the other: each fills two cores.
  const turbo = [
    'exec',
    'turbo',
    'run',
    'test',
    '--concurrency=1',
    '--continue',
    '--output-logs=new-only',
    ...args,
  ];
  const projects = OF_ALL.flatMap((name) => ['--project', name]);
  const tested = await runChild('pnpm', turbo);
  if (tested.signalled) return tested.code || 130;
  const { code } = await runChild('pnpm', ['exec', 'vitest', 'run', '--reporter=dot', ...projects]);
  return tested.code || code;
}
