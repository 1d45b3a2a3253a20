/**
 * What is measured, and with which settings. A setting's `shape` says how many slots settle one job a transaction, or that a transaction
 * settles `many`, or that the handler `writes`: a ratio compares like with like. `in` names the measures that it takes part in; what else
 * it says goes to the module's `open`.
 */
const EVERYWHERE = ['drain', 'burst', 'latency', 'enqueue'];
const DRAINS = ['drain', 'burst'];
const FEW = '5 slots';
const MANY = '24 slots';

const rowlock = {
  name: 'Rowlock',
  module: 'systems/rowlock.mjs',
  settings: [
    { name: 'default, 5 slots', shape: FEW, in: [...EVERYWHERE, 'cost'] },
    { name: MANY, shape: MANY, in: [...DRAINS, 'cost', 'scale'], reference: true, concurrency: 24 },
    { name: '24 slots, writes a row', shape: 'writes', in: ['drain'], concurrency: 24, writes: true },
    { name: 'tuned, 500 a transaction', shape: 'many', in: DRAINS, concurrency: 4, batch: 500 },
    { name: 'default', in: ['limits: cost', 'screens'] },
    { name: 'one a transaction', in: ['limits: cost', 'limits: beside'], concurrency: 24 },
    { name: 'a limit of 3', in: ['limits: use'], concurrency: 5, limit: 3 },
    { name: 'no limit, 3 slots in all', in: ['limits: use'], concurrency: 3, processes: 1 },
  ],
};

const bare = {
  name: 'bare SQL',
  settings: [
    { name: FEW, shape: FEW, in: DRAINS, lanes: 5 },
    { name: '5 slots, with run records', shape: FEW, in: DRAINS, lanes: 5, records: true },
    { name: MANY, shape: MANY, in: [...DRAINS, 'enqueue'], lanes: 24 },
    {
      name: '24 slots, with run records',
      shape: MANY,
      in: [...DRAINS, 'scale'],
      lanes: 24,
      records: true,
    },
    {
      name: '24 slots with records, writes a row',
      shape: 'writes',
      in: ['drain'],
      lanes: 24,
      records: true,
      writes: true,
    },
    { name: '500 a transaction', shape: 'many', in: DRAINS, lanes: 4, batch: 500 },
    // One lane that listens takes all there is: with one job at a time it would fall behind at a thousand jobs a second.
    { name: 'all there is', shape: 'many', in: ['latency'], lanes: 1, batch: 500 },
  ],
};

const sidequest = {
  name: 'Sidequest',
  module: 'peers/sidequest.mjs',
  isPeer: true,
  settings: [
    // As it comes, jobs run in threads of another process, where their start cannot be timed.
    { name: 'default', shape: FEW, in: ['drain'] },
    { name: 'in process', shape: FEW, in: ['latency', 'enqueue'], inProcess: true },
    { name: 'tuned', shape: MANY, in: ['drain', 'latency'], inProcess: true, concurrency: 50, pollMs: 1 },
  ],
};

const bullmq = {
  name: 'BullMQ',
  module: 'peers/bullmq.mjs',
  isPeer: true,
  settings: [
    { name: 'default, 1 slot', shape: FEW, in: EVERYWHERE, concurrency: 1 },
    { name: 'tuned, 50 slots', shape: MANY, in: [...DRAINS, 'latency'], concurrency: 50 },
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

const graphile = {
  name: 'graphile-worker',
  module: 'peers/graphile-worker.mjs',
  isPeer: true,
  settings: [
    { name: 'default, 1 slot', shape: FEW, in: EVERYWHERE },
    { name: FEW, shape: FEW, in: DRAINS, concurrency: 5 },
    { name: MANY, shape: MANY, in: [...DRAINS, 'latency'], concurrency: 24 },
    { name: '24 slots, writes a row', shape: 'writes', in: ['drain'], concurrency: 24, writes: true },
    { name: 'tuned, 24 slots', shape: 'many', in: DRAINS, concurrency: 24, localQueue: 500, batchMs: 0 },
    { name: 'queueName: a limit of 1, and no other', in: ['limits: use'], concurrency: 5, limit: 1 },
  ],
};

const pgBoss = {
  name: 'pg-boss',
  module: 'peers/pg-boss.mjs',
  isPeer: true,
  settings: [
    // A worker that takes one job at a time takes one each time it polls, which no drain has the time for.
    { name: 'default', shape: FEW, in: ['latency', 'enqueue'] },
    { name: 'tuned, 500 a batch', shape: 'many', in: DRAINS, batch: 500, workers: 4 },
    { name: 'with notify', shape: FEW, in: ['latency'], notify: true, batch: 100 },
    { name: '20 workers', in: ['limits: cost'], batch: 1, workers: 20 },
    {
      name: 'groupConcurrency: 3, polls each 0.5 s',
      in: ['limits: use'],
      batch: 1,
      workers: 5,
      limit: 3,
    },
  ],
};

export const SYSTEMS = [
  { ...bare, database: 'postgres', module: 'systems/bare-postgres.mjs' },
  { ...rowlock, database: 'postgres' },
  { ...graphile, database: 'postgres' },
  { ...pgBoss, database: 'postgres' },
  { ...bullmq, name: 'BullMQ on Postgres', database: 'postgres' },
  { ...bullmq, name: 'BullMQ on Redis', database: 'redis' },
  { ...sidequest, database: 'postgres' },
  { ...bare, database: 'mysql', module: 'systems/bare-mysql.mjs' },
  { ...rowlock, database: 'mysql' },
  { ...sidequest, database: 'mysql' },
];
