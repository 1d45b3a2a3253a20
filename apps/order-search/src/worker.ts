import { hostname } from 'node:os';
import { configOrExit, createLog, startWhenPossible, stopOnSignal, tellParent } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';

// Keeps the search table up to date. Any number of processes, on any number of machines.
const config = configOrExit(() => readConfig(process.env));
const name = config.workerName ?? `${hostname()}-${process.pid}`;
const log = createLog(name, config.logLevel);
const { rowlock, close } = compose(config.databaseUrl, log);

const worker = rowlock.worker({ name, concurrency: config.concurrency });
stopOnSignal(log, async () => {
  await worker.stop({ drain: config.drainMs });
  await close();
});
await startWhenPossible(log, () => rowlock.insight.verify());
await worker.start();
tellParent({ working: name });
