import { BeatingAnchor, type JoinableWorkers, type Workers } from '@rowlock/core/driver';
import type { Database } from '../engine/database.js';
import type { Execute } from '../engine/execute.js';
import type { Process } from '../engine/process.js';
import * as statements from '../statements.js';
import { MemoryAnchor } from './anchor.js';
import { MemoryPulse } from './pulse.js';

export function joinableWorkersOf(execute: Execute): JoinableWorkers {
  return { notify: (wakeUps) => execute((place) => statements.notify(place, wakeUps)) };
}

export function workersOf(
  database: Database,
  process: Process,
  execute: Execute,
  sessions: 'own' | 'shared',
): Workers {
  return {
    ...joinableWorkersOf(execute),

    list: () => execute(statements.workers),

    async anchor(worker, session) {
      await execute(statements.forgetWorkers);
      const row = await execute((place) => statements.addWorker(place, worker));
      if (sessions === 'own') return MemoryAnchor.open(database, process, row, session);
      return BeatingAnchor.open(new MemoryPulse(database, process, row), session);
    },
  };
}
