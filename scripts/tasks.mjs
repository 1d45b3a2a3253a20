// What `npm run TASK -- ARGUMENTS` does, once with-toolchain.mjs has brought Node and pnpm. Each task resolves with its exit code.
import { existsSync } from 'node:fs';
import { run as runChanged } from './changed.mjs';
import { run as runChecks } from './check.mjs';
import { runChild } from './run-child.mjs';
import { run as runTests } from './test.mjs';

export const TASKS = {
  /** The sample, on a database and a Google Sheets of its own. */
  start: (args) => demo('@rowlock/app-spreadsheets', 'apps/spreadsheets/dist/demo.js', args),
  'order-search': (args) => demo('@rowlock/app-order-search', 'apps/order-search/dist/demo.js', args),

  /** The pages as a site: `dev` while one writes, `build`, or `preview` of what was built. */
  docs: ([command = 'dev', ...args]) =>
    inOrder([
      INSTALL,
      build('./packages/*'),
      ['pnpm', ['--filter', '@rowlock/site', 'run', 'site', command, ...args]],
    ]),

  check: () => runChecks(),
  test: (args) => runTests(args),
  changed: (args) => runChanged(args),

  /** The tests that prove much and take long, which `npm test` leaves out. */
  proofs(args) {
    process.env.TEST_PROOFS = '1';
    return runTests(args, { testsAlone: true });
  },

  /** The small scenes in all orders of their steps, within the bounds that the environment gives: some ten minutes otherwise. */
  async interleave(args) {
    const { INTERLEAVE_ORDERS = 'all', INTERLEAVE_SECONDS = '8' } = process.env;
    const { INTERLEAVE_SEED = String(Date.now() % 1_000_000) } = process.env;
    Object.assign(process.env, { INTERLEAVE_ORDERS, INTERLEAVE_SECONDS, INTERLEAVE_SEED });
    console.log(
      `Each scenario: ${INTERLEAVE_ORDERS} orders, ${INTERLEAVE_SECONDS} seconds at most; seed ${INTERLEAVE_SEED}`,
    );
    const vitest = ['exec', 'vitest', 'run', 'interleavings', '--reporter=default', ...args];
    const code = await inOrder([INSTALL, ['pnpm', vitest]]);
    if (code !== 0) console.error(`The same orders come again with INTERLEAVE_SEED=${INTERLEAVE_SEED}`);
    return code;
  },

  /** Workers under faults, and the proof from what they wrote down. */
  chaos: (args) => inOrder([INSTALL, build('@rowlock/chaos...'), node('tooling/chaos/dist/cli.js', args)]),

  /** Keeps this version as the one that later ones run beside. */
  freeze: () => inOrder([INSTALL, build('@rowlock/chaos...'), node('scripts/freeze.mjs', [])]),

  /** Rowlock against its peers and against bare SQL. */
  bench: (args) => inOrder([INSTALL, build('@rowlock/benchmarks^...'), node('benchmarks/bench.mjs', args)]),
};

const INSTALL = ['pnpm', ['install', '--frozen-lockfile', '--reporter=append-only']];
const node = (program, args) => [process.execPath, [program, ...args]];
const build = (filter) => [
  'pnpm',
  ['exec', 'turbo', 'run', 'build', `--filter=${filter}`, '--output-logs=errors-only'],
];

function demo(app, program, args) {
  const first = !existsSync('node_modules');
  console.log(`Installing and building${first ? ' (about two minutes the first time)' : ''} …`);
  return inOrder([INSTALL, build(`${app}...`), node(program, args)]);
}

/** Runs commands up to the first that fails. What those before the last one write is shown only when they fail. */
async function inOrder(commands) {
  for (const [command, args] of commands.slice(0, -1)) {
    const done = await runChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    if (done.signalled) return done.code || 130;
    if (done.code === 0) continue;
    console.error(`${done.output}\n${[command, ...args].join(' ')} failed.`);
    return done.code;
  }
  const [command, args] = commands.at(-1);
  return (await runChild(command, args)).code;
}
