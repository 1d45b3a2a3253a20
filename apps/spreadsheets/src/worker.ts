import { hostname } from 'node:os';
import { configOrExit, createLog, startWhenPossible, stopOnSignal, tellParent } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';

// The back end: takes requests one spreadsheet at a time. Any number of processes, on any number of machines.
const config = configOrExit(() => readConfig(process.env, 'worker'));
const name = config.worker.name ?? `${hostname()}-${process.pid}`;
const log = createLog(name, config.logLevel);
const { rowlock, close } = compose(config, log);

const worker = rowlock
  .worker({ name, concurrency: config.worker.concurrency })
  .on('run', ({ kind, key, jobs }) => log.info({ kind, key, requests: jobs.length }, 'run'))
  .on('settled', ({ kind, key, jobs }, endings, ms) => {
    log.info({ kind, key, requests: jobs.length, endings: countOf(endings.values()), ms }, 'settled');
  });

stopOnSignal(log, async () => {
  await worker.stop({ drain: config.drainMs });
  await close();
});
await startWhenPossible(log, () => rowlock.insight.verify());
await worker.start();
tellParent({ working: name });

function countOf(endings: Iterable<string>): Record<string, number> {
  const groups = [...Map.groupBy(endings, (each) => each)];
  return Object.fromEntries(groups.map(([each, { length }]) => [each, length]));
}
