import { followerScenarios } from './follower-scenarios.js';
import { oneJob, twoJobs } from './jobs-before.js';
import { leaseScenarios } from './lease-scenarios.js';
import { limitScenarios } from './limit-scenarios.js';
import type { Scenario } from './scenario.js';

const twoWorkers: Scenario = {
  name: 'two workers and two jobs of one key',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  before: twoJobs,
};

const createAndUpdate: Scenario = {
  name: 'a create and an update that comes after it',
  kinds: [{ kind: 'create' }, { kind: 'update', group: true, after: ['create'] }],
  workers: ['a', 'b'],
  scripts: {
    async p({ enqueue }) {
      await enqueue('create', { kind: 'create' });
      await enqueue('update', { kind: 'update' });
    },
  },
};

const createApart: Scenario = {
  name: 'an update that comes after a create of another queue',
  kinds: [
    { kind: 'create', apart: true },
    { kind: 'update', after: ['create'] },
  ],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('create', { kind: 'create' });
    await enqueue('update', { kind: 'update' });
  },
};

const createApartBetween: Scenario = {
  name: 'two updates, and between them a create of another queue that the later one comes after',
  kinds: [
    { kind: 'update', group: true, after: ['create'] },
    { kind: 'create', apart: true },
  ],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('early', { kind: 'update' });
    await enqueue('create', { kind: 'create' });
    await enqueue('late', { kind: 'update' });
  },
};

const lateToTheGroup: Scenario = {
  name: 'a grouped claim, and another job of the key that is committed meanwhile',
  kinds: [{ kind: 'work', group: true }],
  workers: ['a', 'b'],
  before: twoJobs,
  scripts: {
    async p({ enqueue }) {
      await enqueue('late');
    },
  },
};

const anotherBetween: Scenario = {
  name: 'two jobs of a grouped kind, and between them one of another kind',
  kinds: [{ kind: 'update', group: true }, { kind: 'rename' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('early', { kind: 'update' });
    await enqueue('between', { kind: 'rename' });
    await enqueue('late', { kind: 'update' });
  },
};

const lowerIdLate: Scenario = {
  name: 'a lower id that is committed later',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  scripts: {
    async p({ open, enqueue }) {
      const tx = await open();
      await tx.enqueue('lower');
      await enqueue('higher');
      await tx.commit();
    },
  },
};

const cancelled: Scenario = {
  name: 'a cancel and a claim',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  before: twoJobs,
  scripts: {
    async p({ cancel }) {
      await cancel('first');
    },
  },
};

const cancelledBehind: Scenario = {
  name: 'a cancel of a job that waits behind another of its key',
  kinds: [{ kind: 'work' }],
  workers: ['a'],
  before: twoJobs,
  scripts: {
    async p({ cancel }) {
      await cancel('second');
    },
  },
};

const lostConnections: Scenario = {
  name: 'a worker whose connections the server ends, and another that takes its job',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  before: oneJob,
  scripts: {
    async s({ disconnect }) {
      await disconnect('a');
    },
  },
};

const killedWorker: Scenario = {
  name: 'a worker that dies, and another that takes its jobs',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  before: twoJobs,
  scripts: {
    async s({ kill }) {
      await kill('a');
    },
  },
};

const lateRecord: Scenario = {
  name: 'a worker that begins a run whose claim is lost, and the next worker, which is stopped',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  before: oneJob,
  scripts: {
    async s({ disconnect, stop }) {
      await disconnect('a');
      await stop('b');
    },
  },
};

const delayed: Scenario = {
  name: 'a job that becomes due, and a later one of its key',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  putsOff: true,
  async before({ enqueue }) {
    await enqueue('first', { later: true });
    await enqueue('second');
  },
  scripts: {
    async t({ timePasses }) {
      await timePasses();
    },
  },
};

const retried: Scenario = {
  name: 'a job that is retried, and a later one of its key',
  kinds: [{ kind: 'flaky', throwsFirst: true }, { kind: 'work' }],
  workers: ['a', 'b'],
  putsOff: true,
  async before({ enqueue }) {
    await enqueue('flaky', { kind: 'flaky' });
    await enqueue('second', { kind: 'work' });
  },
  scripts: {
    async t({ timePasses }) {
      await timePasses();
    },
  },
};

const cancelledLater: Scenario = {
  name: 'a cancel of a job that becomes due',
  kinds: [{ kind: 'work' }],
  workers: ['a'],
  putsOff: true,
  async before({ enqueue }) {
    await enqueue('first', { later: true });
  },
  scripts: {
    async p({ cancel }) {
      await cancel('first');
    },
    async t({ timePasses }) {
      await timePasses();
    },
  },
};

const redriven: Scenario = {
  name: 'a redrive and the enqueue of a duplicate',
  kinds: [{ kind: 'work' }],
  workers: ['a'],
  async before({ enqueue, cancel }) {
    await enqueue('first', { unique: 'one' });
    await cancel('first');
  },
  scripts: {
    async p({ enqueue }) {
      await enqueue('duplicate', { unique: 'one' });
    },
    async q({ redrive }) {
      await redrive('first');
    },
  },
};

const duplicate: Scenario = {
  name: 'the enqueue of a duplicate while its job runs',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('first', { unique: 'one' });
  },
  scripts: {
    async p({ enqueue }) {
      await enqueue('duplicate', { unique: 'one' });
    },
  },
};

const duplicateInTransaction: Scenario = {
  name: 'two applications that enqueue one unique key in transactions of their own',
  kinds: [{ kind: 'work' }],
  workers: ['a'],
  scripts: {
    async p({ open }) {
      const tx = await open();
      await tx.enqueue('one', { unique: 'one' });
      await tx.commit();
    },
    async q({ open }) {
      const tx = await open();
      await tx.enqueue('other', { unique: 'one' });
      await tx.rollback();
    },
  },
};

const priorities: Scenario = {
  name: 'a later job of the key that is claimed first',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('early', { priority: 5 });
    await enqueue('urgent', { priority: -5 });
  },
};

export const scenarios = {
  twoWorkers,
  createAndUpdate,
  createApart,
  createApartBetween,
  lateToTheGroup,
  anotherBetween,
  lowerIdLate,
  cancelled,
  cancelledBehind,
  lostConnections,
  killedWorker,
  lateRecord,
  ...leaseScenarios,
  ...limitScenarios,
  ...followerScenarios,
  delayed,
  retried,
  cancelledLater,
  redriven,
  duplicate,
  duplicateInTransaction,
  priorities,
} as const satisfies Record<string, Scenario>;
