// `npm test`: everything that must hold before a change is merged, cheapest first. With arguments
// (`npm test -- --project core`) only what the tests need, and then vitest with them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

/** @returns {Promise<number>} the exit code */
export async function run(args, { testsAlone = args.length > 0 } = {}) {
  for (const step of STEPS.filter((step) => step.always || !testsAlone)) {
    const started = Date.now();
    process.stdout.write(`${step.name} …`);
    const [command, commandArgs] = step.run;
    const done = await runChild(command, commandArgs, { stdio: ['ignore', 'pipe', 'pipe'] });
    console.log(` ${seconds(started)}`);
    if (done.code !== 0) {
      console.error(`${done.output}\nFAILED: ${step.name} (${[command, ...commandArgs].join(' ')})`);
      return done.code;
    }
    if (done.signalled) return 130;
  }
  return runTests(args);
}

async function runTests(args) {
  const started = Date.now();
  console.log('tests …');
  const folder = mkdtempSync(join(tmpdir(), 'rowlock-test-report-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const [command, commandArgs] = pnpm('exec', 'vitest', 'run', ...reporters, ...args);
    const { code, signalled } = await runChild(command, commandArgs);
    console.log(`tests ${seconds(started)}`);
    if (signalled) {
      console.error('INTERRUPTED: tests');
      return code || 130;
    }
    if (code !== 0) console.error('FAILED: tests');
    console.log(closingLine(report));
    return code;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Vitest's own counts; a file that could not even be loaded counts as one failure. */
function closingLine(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, testResults } = JSON.parse(
      readFileSync(report, 'utf8'),
    );
    const unloaded = testResults.filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    );
    const skipped = numPendingTests > 0 ? `, ${numPendingTests} skipped` : '';
    return `${numPassedTests} passed, ${numFailedTests + unloaded.length} failed${skipped}`;
  } catch {
    return '0 passed, 0 failed: vitest wrote no report';
  }
}

function seconds(started) {
  return `${((Date.now() - started) / 1000).toFixed(1)} s`;
}
