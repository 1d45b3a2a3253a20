import { oneJob, twoJobs } from './jobs-before.js';
import type { Scenario, ScenarioKind, Script } from './scenario.js';

const ofOne: readonly ScenarioKind[] = [{ kind: 'work', limit: 1 }];
const ofTwo: readonly ScenarioKind[] = [{ kind: 'work', limit: 2 }];

/** Jobs that have nothing in common but their limit. */
const apart =
  (...names: readonly string[]): Script =>
  async ({ enqueue }) => {
    for (const name of names) await enqueue(name, { keyless: true });
  };

const limitOfOne: Scenario = {
  name: 'two workers, two jobs and a limit of 1',
  kinds: ofOne,
  workers: ['a', 'b'],
  before: apart('first', 'second'),
};

const enlarged: Scenario = {
  name: 'a limit of 1 that becomes one of 2 while two workers claim',
  kinds: ofOne,
  workers: ['a', 'b'],
  before: apart('first', 'second'),
  scripts: {
    async p({ resize }) {
      await resize(2);
    },
  },
};

const reduced: Scenario = {
  name: 'a limit of 2 that becomes one of 1 while two workers claim',
  kinds: ofTwo,
  workers: ['a', 'b'],
  before: apart('first', 'second'),
  scripts: {
    async p({ resize }) {
      await resize(1);
    },
  },
};

const resizedAndKilled: Scenario = {
  name: 'two slots, three workers, a resize and a crash',
  kinds: ofTwo,
  workers: ['a', 'b', 'c'],
  before: apart('first', 'second', 'third'),
  scripts: {
    async p({ resize }) {
      await resize(1);
    },
    async s({ kill }) {
      await kill('a');
    },
  },
};

const slotAlone: Scenario = {
  name: 'a slot that is taken without a job, and a job of its limit',
  kinds: ofOne,
  workers: ['a'],
  before: apart('first'),
  scripts: {
    async p({ acquire }) {
      const slot = await acquire(1);
      await slot?.release();
    },
  },
};

const limitedLeases: Scenario = {
  name: 'two workers, two leases and a limit of 1',
  kinds: [{ kind: 'work', limit: 1, claim: 'lease' }],
  workers: ['a', 'b'],
  before: apart('first', 'second'),
};

const limitedKey: Scenario = {
  name: 'two jobs of one key, the first of which has a limit',
  kinds: [{ kind: 'work', limit: 1 }, { kind: 'other' }],
  workers: ['a', 'b'],
  async before({ enqueue }) {
    await enqueue('first');
    await enqueue('second', { kind: 'other' });
  },
  scripts: {
    async p({ acquire }) {
      const slot = await acquire(1);
      await slot?.release();
    },
  },
};

const paused: Scenario = {
  name: 'a pause and a resume between the steps of a claim',
  kinds: [{ kind: 'work' }],
  workers: ['a', 'b'],
  before: twoJobs,
  scripts: {
    async p({ pause, resume }) {
      await pause();
      await resume();
    },
  },
};

const updated: Scenario = {
  name: 'updates of a job, and its settlement',
  kinds: [{ kind: 'work' }],
  workers: ['a'],
  before: oneJob,
  scripts: {
    async p({ update }) {
      await update('first');
      await update('first');
    },
  },
};

const updatedLease: Scenario = {
  ...updated,
  name: 'updates of a job, and the settlement of its lease',
  kinds: [{ kind: 'work', claim: 'lease' }],
};

/** Where limits, pauses and updates meet claims. */
export const limitScenarios = {
  limitOfOne,
  enlarged,
  reduced,
  resizedAndKilled,
  slotAlone,
  limitedLeases,
  limitedKey,
  paused,
  updated,
  updatedLease,
} as const satisfies Record<string, Scenario>;
