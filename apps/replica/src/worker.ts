import { configOrExit, createLog, startWhenPossible, stopOnSignal, tellParent } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';

// Copies what changes. Any number of processes, on any number of machines.
const { sourceUrl, targetUrl, logLevel } = configOrExit(() => readConfig(process.env));
const log = createLog(`replica-${process.pid}`, logLevel);
const { rowlock, close } = compose(sourceUrl, targetUrl, log);

const worker = rowlock.worker({ concurrency: 5 });
stopOnSignal(log, async () => {
  await worker.stop({ drain: 20_000 });
  await close();
});
await startWhenPossible(log, () => rowlock.insight.verify());
await worker.start();
tellParent({ working: process.pid });
