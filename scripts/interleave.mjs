// `npm run interleave`: plays the small scenes of describe-interleavings.ts in all orders of their steps, on both databases.
// Arguments go to vitest: `npm run interleave -- --project driver-mysql -t "a cancel"`. The environment may say how many
// orders at most, with which seed, or which one schedule: see CONTRIBUTING.md.
import { runChild } from './run-child.mjs';

/** How many orders of a scenario, where there are more, and for how many seconds: some ten minutes for both databases. */
const MOST = { orders: 'all', seconds: '8' };

/** @returns {Promise<number>} the exit code */
export async function run(args) {
  const { INTERLEAVE_ORDERS = MOST.orders, INTERLEAVE_SECONDS = MOST.seconds } = process.env;
  const { INTERLEAVE_SEED = String(Date.now() % 1_000_000) } = process.env;
  const env = { ...process.env, INTERLEAVE_ORDERS, INTERLEAVE_SECONDS, INTERLEAVE_SEED };
  console.log(
    `Each scenario: ${INTERLEAVE_ORDERS} orders, ${INTERLEAVE_SECONDS} seconds at most; seed ${INTERLEAVE_SEED}`,
  );
  const install = ['install', '--frozen-lockfile', '--reporter=append-only'];
  const installed = await runChild('pnpm', install, { stdio: ['ignore', 'pipe', 'pipe'] });
  if (installed.code !== 0) {
    console.error(installed.output);
    return installed.code;
  }
  const vitest = ['exec', 'vitest', 'run', 'interleavings', '--reporter=default', ...args];
  const { code, signalled } = await runChild('pnpm', vitest, { env });
  if (signalled) console.error('INTERRUPTED');
  return signalled ? code || 130 : code;
}
