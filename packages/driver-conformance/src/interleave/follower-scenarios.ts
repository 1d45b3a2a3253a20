import type { Scenario, Script } from './scenario.js';

const AFTER = ['first', 'second'] as const;

const twoOthers: Script = async ({ enqueue }) => {
  for (const name of AFTER) await enqueue(name, { keyless: true });
};

const followed: Scenario = {
  name: 'a job that waits for two others, which are settled while it is enqueued',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  follows: true,
  before: twoOthers,
  scripts: {
    async p({ enqueue }) {
      await enqueue('last', { keyless: true, after: AFTER });
    },
  },
};

const followedInTransaction: Scenario = {
  ...followed,
  name: 'a job that waits for two others, which are settled before its transaction commits',
  scripts: {
    async p({ open }) {
      const tx = await open();
      await tx.enqueue('last', { keyless: true, after: AFTER });
      await tx.commit();
    },
  },
};

const followedCancel: Scenario = {
  ...followed,
  name: 'a job that waits for two others, one of which is cancelled',
  workers: ['a'],
  async before({ enqueue }) {
    await enqueue('first', { keyless: true });
    await enqueue('second', { keyless: true });
    await enqueue('last', { keyless: true, after: AFTER });
  },
  scripts: {
    async p({ cancel }) {
      await cancel('second');
    },
  },
};

/** Where jobs wait for others by their `after`. */
export const followerScenarios = {
  followed,
  followedInTransaction,
  followedCancel,
} as const satisfies Record<string, Scenario>;
