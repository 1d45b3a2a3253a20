// `npm run proofs`: the tests that prove much and take long, which `npm test` leaves out. Arguments go to vitest:
// `npm run proofs -- --project histories`. See CONTRIBUTING.md.
import { run as runTests } from './test.mjs';

/** @returns {Promise<number>} the exit code */
export function run(args) {
  process.env.TEST_PROOFS = '1';
  return runTests(args, { testsAlone: true });
}
