// A worker in a process of its own: the crew starts it, and the faults are for it.
import { createRowlock, type Logger, type RunInfo } from '@rowlock/core';
import { broken } from './broken-driver.js';
import { HistoryFile } from './history/history-file.js';
import { runName } from './history/run-name.js';
import { notedClaims } from './noted-claims.js';
import { subjectHandlers } from './subjects/handlers.js';
import type { System } from './system.js';
import { withSystem } from './systems.js';
import { codeOf, handlers } from './work.js';
import type { WorkerCommand, WorkerOrders } from './worker-orders.js';
import { setClockWrong } from './wrong-clock.js';

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** How long a worker that is to stop waits for its handlers, in milliseconds. */
const DRAIN_MS = 10_000;

/** Beside the claims: records, the survey, wake-ups. */
const MORE_CONNECTIONS = 6;

/** Tells the conductor, who may have gone. */
function tell(message: string): void {
  if (process.connected) process.send?.(message, undefined, {}, () => {});
}

function idOf({ runId, jobs: [first = ''] }: RunInfo): string {
  return runName(runId, first);
}

const orders: WorkerOrders = JSON.parse(process.argv[2] ?? '{}');
if (orders.clockMs !== 0) setClockWrong(orders.clockMs);
await withSystem(orders.database, (system) => work(system));

async function work<Tx>(system: System<Tx>): Promise<void> {
  const { name, url, mode, folder, concurrency } = orders;
  const history = new HistoryFile(folder, name);
  const driver = system.driver(url, concurrency + MORE_CONNECTIONS);
  const rowlock = createRowlock<Tx>({
    driver: notedClaims(orders.broken === null ? driver : broken(driver, orders.broken), history),
    handlers: [
      ...handlers(mode, system, history),
      ...(orders.subjects && mode !== 'batch' ? subjectHandlers(mode, system, history) : []),
    ],
    log: SILENT,
  });
  const worker = rowlock.worker({ name, concurrency });
  worker.on('settled', (run, endings) =>
    history.write({ what: 'settled', run: idOf(run), endings: [...endings] }),
  );
  worker.on('released', (run) => history.write({ what: 'released', run: idOf(run) }));
  worker.on('lost', (run, error) => history.write({ what: 'lost', run: idOf(run), error: codeOf(error) }));
  worker.on('fault', (error) => history.write({ what: 'trouble', error: String(error).slice(0, 300) }));

  process.on('message', ({ blockMs }: WorkerCommand) => {
    // Without using the processor, which the other workers need.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blockMs);
    tell('goes on');
  });
  // Ctrl-C in a terminal reaches all of the group; the conductor stops its workers by itself.
  process.on('SIGINT', () => {});
  let stopping = false;
  process.on('disconnect', () => {
    stopping = true;
    setTimeout(() => process.exit(1), 2 * DRAIN_MS).unref();
    void worker
      .stop({ drain: DRAIN_MS })
      .then(() => rowlock.close())
      .finally(() => process.exit(0));
  });

  // The server may be away just now.
  while (!stopping) {
    try {
      await worker.start();
      break;
    } catch (error) {
      history.write({ what: 'trouble', error: String(error).slice(0, 300) });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  tell('started');
}
