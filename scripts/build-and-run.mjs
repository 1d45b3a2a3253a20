import { runChild } from './run-child.mjs';

/**
 * Installs, builds what turbo's `filter` names, and runs a program of the repository. What comes before the program is told only
 * when it fails.
 *
 * @returns {Promise<number>} the exit code
 */
export async function buildAndRun(filter, program, args) {
  const build = ['exec', 'turbo', 'run', 'build', `--filter=${filter}`, '--output-logs=errors-only'];
  for (const step of [['install', '--frozen-lockfile', '--reporter=append-only'], build]) {
    const { code, output } = await runChild('pnpm', step, { stdio: ['ignore', 'pipe', 'pipe'] });
    if (code === 0) continue;
    console.error(output);
    return code;
  }
  const { code } = await runChild(process.execPath, [program, ...args]);
  return code;
}
