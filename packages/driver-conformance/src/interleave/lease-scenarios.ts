import { oneJob, twoJobs } from './jobs-before.js';
import type { Scenario, ScenarioKind } from './scenario.js';

const leased: readonly ScenarioKind[] = [{ kind: 'work', claim: 'lease' }];

const leasedAndHeld: Scenario = {
  name: 'a lease and a hold of one key',
  kinds: [{ kind: 'long', claim: 'lease' }, { kind: 'short' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('long', { kind: 'long' });
    await enqueue('short', { kind: 'short' });
  },
};

const heldAndLeased: Scenario = {
  name: 'a grouped lease, and a hold of its key that was enqueued before',
  kinds: [{ kind: 'short' }, { kind: 'long', claim: 'lease', group: true }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('short', { kind: 'short' });
    await enqueue('long', { kind: 'long' });
  },
  scripts: {
    async p({ enqueue }) {
      await enqueue('late', { kind: 'long' });
    },
  },
};

const takenForDead: Scenario = {
  name: 'a worker that settles its lease, and another that takes it for dead',
  kinds: leased,
  workers: ['a', 'b'],
  before: oneJob,
  scripts: {
    async s({ declareDead }) {
      await declareDead('a');
    },
  },
};

const killedLessee: Scenario = {
  name: 'a worker that dies with a lease, and two that put it back',
  kinds: leased,
  workers: ['a', 'b', 'c'],
  before: oneJob,
  scripts: {
    async s({ kill }) {
      await kill('a');
    },
  },
};

const lostLease: Scenario = {
  name: 'a lease that is committed, and whose worker gets no answer',
  kinds: leased,
  workers: ['a', 'b'],
  unanswered: { worker: 'a', commit: 'lease' },
  before: twoJobs,
};

const lostSettlement: Scenario = {
  name: 'a settlement of a lease that is committed, and whose worker gets no answer',
  kinds: leased,
  workers: ['a', 'b'],
  unanswered: { worker: 'a', commit: 'settlement' },
  before: twoJobs,
};

const cutLessee: Scenario = {
  name: 'a lease whose worker loses its connections while it settles',
  kinds: leased,
  workers: ['a', 'b'],
  before: oneJob,
  putsOff: true,
  scripts: {
    async s({ disconnect }) {
      await disconnect('a');
    },
  },
};

const cancelledLease: Scenario = {
  name: 'a cancel and a lease',
  kinds: leased,
  workers: ['a'],
  before: oneJob,
  scripts: {
    async p({ cancel }) {
      await cancel('first');
    },
  },
};

/** Where claims are leased. */
export const leaseScenarios = {
  leasedAndHeld,
  heldAndLeased,
  takenForDead,
  killedLessee,
  lostLease,
  lostSettlement,
  cutLessee,
  cancelledLease,
} as const satisfies Record<string, Scenario>;
