// `npm run bench`: Rowlock against its peers and against bare SQL. Arguments go to benchmarks:
// `npm run bench -- drain latency --postgres --rounds 3`. See benchmarks/README.md.
import { runChild } from './run-child.mjs';

const BUILD = [
  'exec',
  'turbo',
  'run',
  'build',
  '--filter=@rowlock/benchmarks^...',
  '--output-logs=errors-only',
];

/** @returns {Promise<number>} the exit code */
export async function run(args) {
  for (const step of [['install', '--frozen-lockfile', '--reporter=append-only'], BUILD]) {
    const { code, output } = await runChild('pnpm', step, { stdio: ['ignore', 'pipe', 'pipe'] });
    if (code === 0) continue;
    console.error(output);
    return code;
  }
  const { code } = await runChild(process.execPath, ['benchmarks/bench.mjs', ...args]);
  return code;
}
