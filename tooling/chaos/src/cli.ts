// `npm run chaos`: see CONTRIBUTING.md.

import { failures } from './limits.js';
import { type Options, readOptions, UsageError } from './options.js';
import { runAll } from './run-all.js';
import { runMixed } from './run-mixed.js';
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
  const run = options.mixed ? runMixed : runAll;
  const results = await run(options, stopping.signal, (line) => console.error(line));
  if (options.json) console.log(JSON.stringify({ seed: options.seed, results }, null, 2));
  else console.log(table(results));
  const failed = failures(results);
  for (const line of failed) console.error(line);
  return failed.length > 0 ? 1 : 0;
}
