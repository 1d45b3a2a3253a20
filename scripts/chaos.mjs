// `npm run chaos`: workers under faults on both databases, and the proof from what they wrote down. Arguments go to
// tooling/chaos: `npm run chaos -- --fault "kill -9" --database mysql --seed 42`. See CONTRIBUTING.md.
import { buildAndRun } from './build-and-run.mjs';

/** @returns {Promise<number>} the exit code */
export const run = (args) => buildAndRun('@rowlock/chaos...', 'tooling/chaos/dist/cli.js', args);
