// `npm run check`: what needs no test to be run, cheapest first: installs, lints, builds, checks types, pages and packages.
import { runChild } from './run-child.mjs';

const pnpm = (...args) => ['pnpm', args];
const node = (...args) => [process.execPath, args];
const turbo = (...tasks) => pnpm('exec', 'turbo', 'run', ...tasks, '--output-logs=errors-only');

const STEPS = [
  { name: 'install', run: pnpm('install', '--frozen-lockfile', '--reporter=append-only'), always: true },
  { name: 'lint', run: pnpm('exec', 'biome', 'ci', '--error-on-warnings', '.') },
  { name: 'build', run: turbo('build'), always: true },
  { name: 'typecheck', run: turbo('typecheck', 'typecheck:root') },
  { name: 'unused code and dependencies', run: pnpm('exec', 'knip') },
  { name: 'architecture', run: node('scripts/architecture.mjs', '--check') },
  { name: 'prose', run: node('scripts/check-prose.mjs') },
  { name: 'docstrings', run: node('scripts/check-prose.mjs', '--docstrings') },
  { name: 'packages', run: node('scripts/check-packages.mjs') },
  { name: 'changesets', run: node('scripts/check-changesets.mjs') },
];

/**
 * @param {{ all?: boolean }} [options] Whether to check all, or only to do what tests need.
 * @returns {Promise<number>} the exit code
 */
export async function run({ all = true } = {}) {
  for (const step of STEPS.filter(({ always }) => all || always)) {
    const started = performance.now();
    process.stdout.write(`${step.name} …`);
    const [command, args] = step.run;
    const done = await runChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    console.log(` ${((performance.now() - started) / 1000).toFixed(1)} s`);
    if (done.code !== 0) {
      console.error(`${done.output}\nFAILED: ${step.name} (${[command, ...args].join(' ')})`);
      return done.code;
    }
    if (done.signalled) return 130;
  }
  return 0;
}
