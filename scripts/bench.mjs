// `npm run bench`: Rowlock against its peers and against bare SQL. Arguments go to benchmarks:
// `npm run bench -- drain latency --postgres --rounds 3`. See benchmarks/README.md.
import { buildAndRun } from './build-and-run.mjs';

/** @returns {Promise<number>} the exit code */
export const run = (args) => buildAndRun('@rowlock/benchmarks^...', 'benchmarks/bench.mjs', args);
