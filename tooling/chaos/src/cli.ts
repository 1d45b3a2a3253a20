// `npm run chaos`: see CONTRIBUTING.md.

import { failures } from './limits.js';
import { type Options, readOptions, UsageError } from './options.js';
import { runAll } from './run-all.js';
import { runMixed } from './run-mixed.js';
import * as schedules from './schedules/report.js';
import { runSchedules } from './schedules/run-schedules.js';
import { table } from './table.js';

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(error.message);
    return 2;
  }
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) console.error('Stopping; what was begun is settled and checked …');
      stopping.abort();
    });
  }
  console.error(`seed ${options.seed}`);
  const tell = (line: string): void => console.error(line);
  if (options.schedules) {
    const results = await runSchedules(options, stopping.signal, tell);
    return report(options, results, schedules.table(results), schedules.failures(results));
  }
  const run = options.mixed ? runMixed : runAll;
  const results = await run(options, stopping.signal, tell);
  return report(options, results, table(results), failures(results));
}

/** @returns the exit code */
function report(
  { json, seed }: Options,
  results: readonly object[],
  text: string,
  failed: readonly string[],
): number {
  console.log(json ? JSON.stringify({ seed, results }, null, 2) : text);
  for (const line of failed) console.error(line);
  return failed.length > 0 ? 1 : 0;
}
