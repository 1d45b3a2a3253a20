// `npm run interleave`: plays the small scenes of describe-interleavings.ts in all orders of their steps, on both databases.
// Arguments go to vitest: `npm run interleave -- --project driver-mysql -t "a cancel"`. The environment may say how many
// orders at most, with which seed, or which one schedule: see CONTRIBUTING.md.
import { runChild } from './run-child.mjs';

/** How many orders of a scenario, where there are more: some minutes each. */
const MOST = '5000';

/** @returns {Promise<number>} the exit code */
export async function run(args) {
  const { INTERLEAVE_ORDERS = MOST, INTERLEAVE_SEED = String(Date.now() % 1_000_000) } = process.env;
  const env = { ...process.env, INTERLEAVE_ORDERS, INTERLEAVE_SEED };
  console.log(`At most ${INTERLEAVE_ORDERS} orders of each scenario, seed ${INTERLEAVE_SEED}`);
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
