// `npm test`: everything that must hold before a change is merged, the checks of check.mjs first. With arguments
// (`npm test -- --project core`) only what the tests need, and then vitest with them.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run as check } from './check.mjs';
import { runChild } from './run-child.mjs';

/** @returns {Promise<number>} the exit code */
export async function run(args, { testsAlone = args.length > 0 } = {}) {
  const code = await check({ all: !testsAlone });
  return code === 0 ? runTests(args) : code;
}

async function runTests(args) {
  const started = Date.now();
  console.log('tests …');
  const folder = mkdtempSync(join(tmpdir(), 'rowlock-test-report-'));
  const report = join(folder, 'report.json');
  try {
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const env = { ...process.env, TEST_BUILT: '1' };
    const vitest = ['exec', 'vitest', 'run', ...reporters, ...args];
    const { code, signalled } = await runChild('pnpm', vitest, { env });
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
