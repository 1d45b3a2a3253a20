import type { Fault } from '../fault.js';
import { blockEventLoop } from './block-event-loop.js';
import { cutCommits } from './cut-commits.js';
import { endSessions } from './end-sessions.js';
import { exhaustConnections } from './exhaust-connections.js';
import { failOver } from './fail-over.js';
import { fullDisk } from './full-disk.js';
import { impatientOperator } from './impatient-operator.js';
import { killWorker } from './kill-worker.js';
import { oldSnapshot } from './old-snapshot.js';
import { poisonJob } from './poison-job.js';
import { restartServer } from './restart-server.js';
import { slowNetwork } from './slow-network.js';
import { stopWorker } from './stop-worker.js';
import { swallowPackets } from './swallow-packets.js';
import { wrongClocks } from './wrong-clocks.js';

/** All of them, in the order of the table. */
export const FAULTS: readonly Fault[] = [
  killWorker,
  poisonJob,
  stopWorker,
  blockEventLoop,
  restartServer,
  failOver,
  endSessions,
  exhaustConnections,
  swallowPackets,
  slowNetwork,
  cutCommits,
  impatientOperator,
  oldSnapshot,
  wrongClocks,
  fullDisk,
];
