// `npm run chaos`: workers under faults on both databases, and the proof from what they wrote down. Arguments go to
// tooling/chaos: `npm run chaos -- --fault "kill -9" --database mysql --seed 42`. See CONTRIBUTING.md.
import { runChild } from './run-child.mjs';

const BUILD = ['exec', 'turbo', 'run', 'build', '--filter=@rowlock/chaos...', '--output-logs=errors-only'];

/** @returns {Promise<number>} the exit code */
export async function run(args) {
  for (const step of [['install', '--frozen-lockfile', '--reporter=append-only'], BUILD]) {
    const { code, output } = await runChild('pnpm', step, { stdio: ['ignore', 'pipe', 'pipe'] });
    if (code === 0) continue;
    console.error(output);
    return code;
  }
  const { code } = await runChild(process.execPath, ['tooling/chaos/dist/cli.js', ...args]);
  return code;
}
