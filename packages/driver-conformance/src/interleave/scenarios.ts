import type { Scenario } from './scenario.js';

const twoWorkers: Scenario = {
  name: 'two workers and two jobs of one key',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('first');
    await enqueue('second');
  },
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

const lateToTheGroup: Scenario = {
  name: 'a grouped claim, and another job of the key that is committed meanwhile',
  kinds: [{ kind: 'work', group: true }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('first');
    await enqueue('second');
  },
  scripts: {
    async p({ enqueue }) {
      await enqueue('late');
    },
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
  async before({ enqueue }) {
    await enqueue('first');
    await enqueue('second');
  },
  scripts: {
    async p({ cancel }) {
      await cancel('first');
    },
  },
};

const lostConnections: Scenario = {
  name: 'a worker whose connections the server ends, and another that takes its job',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('first');
  },
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
  async before({ enqueue }) {
    await enqueue('first');
    await enqueue('second');
  },
  scripts: {
    async s({ kill }) {
      await kill('a');
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
  lateToTheGroup,
  lowerIdLate,
  cancelled,
  lostConnections,
  killedWorker,
  redriven,
  duplicate,
  duplicateInTransaction,
  priorities,
} as const satisfies Record<string, Scenario>;
