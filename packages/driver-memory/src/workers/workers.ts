import { BeatingAnchor, type JoinableWorkers, type Workers } from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Execute } from '../engine/execute.js';
import type { Process } from '../engine/process.js';
import { MemoryAnchor } from './anchor.js';
import { MemoryPulse } from './pulse.js';
import { notify } from './statements/bell.js';
import { addWorker, forgetWorkers, workers } from './statements/workers.js';

export function joinableWorkersOf(execute: Execute): JoinableWorkers {
  return { notify: (wakeUps) => execute((place) => notify(place, wakeUps)) };
}

export function workersOf(
  database: Database,
  process: Process,
  execute: Execute,
  sessions: 'own' | 'shared',
): Workers {
  return {
    ...joinableWorkersOf(execute),

    list: () => execute(workers),

    async anchor(worker, session) {
      await execute(forgetWorkers);
      const row = await execute((place) => addWorker(place, worker));
      if (sessions === 'own') return MemoryAnchor.open(database, process, row, session);
      return BeatingAnchor.open(new MemoryPulse(database, process, row), session);
    },
  };
}
