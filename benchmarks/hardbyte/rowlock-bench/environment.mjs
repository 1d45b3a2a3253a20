/** What the harness says, by the names of its CONTRIBUTING_ADAPTERS.md, with its defaults. */
export function readEnvironment(env = process.env) {
  const whole = (name, otherwise) => Number.parseInt(env[name] ?? otherwise, 10);
  const { DATABASE_URL: url, SCENARIO: scenario = 'long_horizon', PRODUCER_MODE: mode = 'fixed' } = env;
  if (!url) throw new Error('DATABASE_URL is not set.');
  if (scenario !== 'long_horizon') throw new Error(`There is no scenario ${scenario} here.`);
  return {
    url,
    instance: whole('BENCH_INSTANCE_ID', 0),
    workers: whole('WORKER_COUNT', 32),
    payloadBytes: whole('JOB_PAYLOAD_BYTES', 256),
    workMs: whole('JOB_WORK_MS', 1),
    sampleMs: whole('SAMPLE_EVERY_S', 5) * 1000,
    producer: {
      isFixed: mode === 'fixed',
      isPacedByHarness: mode === 'fixed' && env.PRODUCER_PACING === 'harness',
      rate: whole('PRODUCER_RATE', 800),
      /** Holds another rate during a phase of high load. */
      rateFile: env.PRODUCER_RATE_CONTROL_FILE,
      depth: whole('TARGET_DEPTH', 1000),
      batchMost: whole('PRODUCER_BATCH_MAX', 128),
      batchMs: whole('PRODUCER_BATCH_MS', 25),
    },
    /** Not the harness's: the name of a variant, and how many jobs a transaction takes in it. */
    system: env.ROWLOCK_SYSTEM,
    batch: whole('ROWLOCK_BATCH', 1),
    /** Not the harness's: where the jobs are written down, and which share of them writes a row. For an independent count. */
    ledger: env.BENCH_LEDGER,
    effectEvery: whole('BENCH_EFFECT_EVERY', 0),
  };
}
