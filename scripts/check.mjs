// `npm run check`: what needs no test to be run: installs, then lints and builds, then checks types and pages, and packages last.
import { runChild } from './run-child.mjs';

const pnpm = (...args) => ['pnpm', args];
const node = (...args) => [process.execPath, args];
const turbo = (...tasks) => pnpm('exec', 'turbo', 'run', ...tasks, '--output-logs=errors-only');

/** The checks of a step run at once, because one alone leaves a processor idle. */
const STEPS = [
  [{ name: 'install', run: pnpm('install', '--frozen-lockfile', '--reporter=append-only'), always: true }],
  [
    { name: 'build', run: turbo('build'), always: true },
    { name: 'lint', run: pnpm('exec', 'biome', 'ci', '--error-on-warnings', '.') },
  ],
  [
    { name: 'typecheck', run: turbo('typecheck', 'typecheck:root') },
    { name: 'unused code and dependencies', run: pnpm('exec', 'knip') },
    { name: 'architecture', run: node('scripts/architecture.mjs', '--check') },
    { name: 'prose', run: node('scripts/check-prose.mjs') },
    { name: 'docstrings', run: node('scripts/check-prose.mjs', '--docstrings') },
    { name: 'changesets', run: node('scripts/check-changesets.mjs') },
  ],
  // By itself, because it builds what it packs, which the check of types reads.
  [{ name: 'packages', run: node('scripts/check-packages.mjs') }],
];

/**
 * @param {{ all?: boolean }} [options] Whether to check all, or only to do what tests need.
 * @returns {Promise<number>} the exit code
 */
export async function run({ all = true } = {}) {
  for (const step of STEPS) {
    const checks = step.filter(({ always }) => all || always);
    console.log(`${checks.map(({ name }) => name).join(', ')} …`);
    const codes = await Promise.all(checks.map(runOne));
    const failed = codes.find((code) => code !== 0);
    if (failed !== undefined) return failed;
  }
  return 0;
}

async function runOne({ name, run: [command, args] }) {
  const started = performance.now();
  const { code, signalled, output } = await runChild(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  console.log(`  ${name} ${((performance.now() - started) / 1000).toFixed(1)} s`);
  if (signalled) return code || 130;
  if (code !== 0) console.error(`${output}\nFAILED: ${name} (${[command, ...args].join(' ')})`);
  return code;
}
