/**
 * What is measured, and with which settings. A setting's `shape` says what a transaction settles, `one` job or `many`, or that its
 * handler `writes`, or how many slots work: a ratio compares like with like. `in` names the measures that it takes part in; what else it says goes to the module's `open`.
 */
const EVERYWHERE = ['drain', 'latency', 'enqueue'];

const rowlock = {
  name: 'Rowlock',
  module: 'systems/rowlock.mjs',
  settings: [
    { name: 'default', shape: 'one', in: EVERYWHERE },
    {
      name: 'one a transaction',
      shape: 'one',
      in: ['drain', 'scale'],
      reference: true,
      concurrency: 24,
      batch: 1,
    },
    { name: '500 a transaction', shape: 'many', in: ['drain'], reference: true, concurrency: 4, batch: 500 },
    { name: 'one, writes a row', shape: 'writes', in: ['drain'], concurrency: 24, batch: 1, writes: true },
    ...slots({ batch: 1 }),
    { name: 'default', in: ['limits: cost', 'screens'] },
    { name: 'one a transaction', in: ['limits: cost', 'limits: beside'], concurrency: 24, batch: 1 },
    { name: 'a limit of 3', in: ['limits: use'], concurrency: 5, limit: 3 },
    { name: 'no limit, 3 slots in all', in: ['limits: use'], concurrency: 3, processes: 1 },
  ],
};

const sidequest = {
  name: 'Sidequest',
  module: 'peers/sidequest.mjs',
  isPeer: true,
  settings: [
    // As it comes, jobs run in threads of another process, where their start cannot be timed.
    { name: 'default', shape: 'one', in: ['drain'] },
    { name: 'in process', shape: 'one', in: ['latency', 'enqueue'], inProcess: true },
    { name: 'tuned', shape: 'one', in: ['drain', 'latency'], inProcess: true, concurrency: 50, pollMs: 1 },
  ],
};

const bullmq = {
  name: 'BullMQ',
  module: 'peers/bullmq.mjs',
  isPeer: true,
  settings: [
    { name: 'default', shape: 'one', in: EVERYWHERE, concurrency: 1 },
    { name: 'tuned', shape: 'one', in: ['drain', 'latency'], concurrency: 50 },
    { name: '50 concurrent', in: ['limits: cost'], concurrency: 50 },
    {
      name: 'setGlobalConcurrency(3)',
      in: ['limits: use'],
      concurrency: 5,
      limit: 3,
      cannotBeside: 'Its limit is for all jobs of a queue.',
    },
  ],
};

const bareSlots = slots({ records: true }).map(({ concurrency: lanes, ...setting }) => ({
  ...setting,
  lanes,
}));

export const SYSTEMS = [
  {
    name: 'bare SQL',
    database: 'postgres',
    module: 'systems/bare-postgres.mjs',
    settings: [
      {
        name: 'one, with run records',
        shape: 'one',
        in: ['drain', 'scale'],
        reference: true,
        lanes: 24,
        records: true,
      },
      { name: 'one', shape: 'one', in: ['drain', 'enqueue'], lanes: 24 },
      { name: 'one, writes a row', shape: 'writes', in: ['drain'], lanes: 24, records: true, writes: true },
      // One lane that listens takes all there is: with one job at a time it would fall behind at a thousand jobs a second.
      { name: 'all there is', shape: 'many', in: ['latency'], lanes: 1, batch: 500 },
      { name: '500', shape: 'many', in: ['drain'], reference: true, lanes: 4, batch: 500 },
      ...bareSlots,
    ],
  },
  { ...rowlock, database: 'postgres' },
  {
    name: 'graphile-worker',
    database: 'postgres',
    module: 'peers/graphile-worker.mjs',
    isPeer: true,
    settings: [
      { name: 'default', shape: 'one', in: EVERYWHERE },
      { name: '24 concurrent', shape: 'one', in: ['drain', 'latency'], concurrency: 24 },
      { name: '24, writes a row', shape: 'writes', in: ['drain'], concurrency: 24, writes: true },
      { name: 'tuned', shape: 'many', in: ['drain'], concurrency: 24, localQueue: 500, batchMs: 0 },
      ...slots(),
      {
        name: 'queueName: a limit of 1, and no other',
        in: ['limits: use'],
        concurrency: 5,
        limit: 1,
      },
    ],
  },
  {
    name: 'pg-boss',
    database: 'postgres',
    module: 'peers/pg-boss.mjs',
    isPeer: true,
    settings: [
      { name: 'default', shape: 'one', in: EVERYWHERE },
      { name: 'tuned', shape: 'many', in: ['drain'], batch: 500, workers: 4 },
      { name: 'with notify', shape: 'one', in: ['latency'], notify: true, batch: 100 },
      { name: '20 workers', in: ['limits: cost'], batch: 1, workers: 20 },
      {
        name: 'groupConcurrency: 3, polls each 0.5 s',
        in: ['limits: use'],
        batch: 1,
        workers: 5,
        limit: 3,
      },
    ],
  },
  { ...bullmq, name: 'BullMQ on Postgres', database: 'postgres' },
  { ...bullmq, name: 'BullMQ on Redis', database: 'redis' },
  { ...sidequest, database: 'postgres' },
  {
    name: 'bare SQL',
    database: 'mysql',
    module: 'systems/bare-mysql.mjs',
    settings: [
      {
        name: 'one, with run records',
        shape: 'one',
        in: ['drain', 'scale'],
        reference: true,
        lanes: 24,
        records: true,
      },
      { name: 'one', shape: 'one', in: ['drain', 'enqueue'], lanes: 24 },
      { name: 'one, writes a row', shape: 'writes', in: ['drain'], lanes: 24, records: true, writes: true },
      // One lane that listens takes all there is: with one job at a time it would fall behind at a thousand jobs a second.
      { name: 'all there is', shape: 'many', in: ['latency'], lanes: 1, batch: 500 },
      { name: '500', shape: 'many', in: ['drain'], reference: true, lanes: 4, batch: 500 },
      ...bareSlots,
    ],
  },
  { ...rowlock, database: 'mysql' },
  { ...sidequest, database: 'mysql' },
];

/** Few slots and many, one job a transaction: the settings of a burst. */
function slots(setting) {
  return [5, 24].map((concurrency) => {
    const name = `${concurrency} slots`;
    return { name, shape: name, in: ['burst'], concurrency, ...setting };
  });
}
