import type { JobRow, RunRow, TestDatabase } from '../driver-harness.js';
import { isOutstanding } from './outstanding.js';
import { EFFECTS } from './scene.js';
import type { Witness, WitnessedRun } from './witness.js';

/** Looks at what is left when all are at rest, and has the witness say what must not be. Returns what became of each job. */
export async function judge<Tx>(
  witness: Witness,
  database: TestDatabase<Tx>,
  queues: readonly string[],
): Promise<readonly string[]> {
  const { reader } = database;
  const rows = (await Promise.all(queues.map((queue) => reader.jobs(queue)))).flat();
  const effects = await readEffects(database, rows);
  const records = new Map<string, readonly RunRow[]>();
  for (const { publicId } of rows) records.set(publicId, await reader.runs(publicId));
  const fates = rows.map((row) =>
    judgeJob(witness, row, records.get(row.publicId) ?? [], effects.get(row.publicId) ?? 0),
  );
  for (const run of witness.runs) judgeRun(witness, run, records);
  return fates;
}

/** How many effects each job has. */
async function readEffects<Tx>(
  { reader }: TestDatabase<Tx>,
  rows: readonly JobRow[],
): Promise<ReadonlyMap<string, number>> {
  const ids = rows.map(({ publicId }) => `'${publicId}'`).join(', ');
  const written = await reader.exec(`SELECT job FROM ${EFFECTS} WHERE job IN (${ids})`);
  const effects = new Map<string, number>();
  for (const { job } of written) effects.set(String(job), (effects.get(String(job)) ?? 0) + 1);
  return effects;
}

function judgeJob(witness: Witness, row: JobRow, records: readonly RunRow[], effects: number): string {
  const name = witness.called(row.publicId);
  const outcomes = records.map(({ outcome }) => outcome ?? 'open').join(', ');
  const fate = `${name}: ${row.status}, attempt ${row.attempt}, ${row.crashes} crashes: ${outcomes}`;
  if (isOutstanding(row)) {
    witness.say(`${name} is left ${row.status}`);
    return fate;
  }
  const updates = Number(Object(row.metadata).updates ?? 0);
  const made = witness.updatesOf(row.publicId);
  if (updates !== made) witness.say(`of ${made} updates of ${name} there are ${updates}`);
  const completed = row.status === 'complete' ? 1 : 0;
  if (effects !== completed) witness.say(`${name} is ${row.status} and has its effect ${effects} times`);

  const what = `${name}, which is ${row.status}: ${outcomes}`;
  const settlements = records.filter(({ outcome }) => outcome !== null && FINAL.has(outcome));
  const completions = settlements.filter(({ outcome }) => outcome === 'complete');
  if (completions.length !== completed) witness.say(`the runs do not fit ${what}`);
  if (settlements.length > 1 + witness.redrivesOf(row.publicId)) witness.say(`settled twice: ${what}`);
  const crashes = records.filter(({ outcome }) => outcome === 'reclaim').length;
  if (row.crashes !== crashes) witness.say(`${row.crashes} crashes are counted: ${what}`);
  for (const { runId, outcome } of records) {
    if (witness.hasLost(runId)) continue;
    if (witness.hasReleased(runId) !== (outcome === 'release'))
      witness.say(`the releases do not fit ${what}`);
    if (outcome === null) witness.say(`a run never ended: ${what}`);
    if (outcome === 'reclaim') witness.say(`taken from a worker that lived: ${what}`);
  }
  return fate;
}

/** A run settled its own jobs, all or none. */
function judgeRun(
  witness: Witness,
  run: WitnessedRun,
  records: ReadonlyMap<string, readonly RunRow[]>,
): void {
  const settled: string[] = [];
  for (const [publicId, ofJob] of records) {
    const record = ofJob.find(({ runId }) => runId === run.runId);
    if (record?.outcome != null && SETTLING.has(record.outcome)) settled.push(publicId);
  }
  const hasLost = witness.hasLost(run.runId);
  const expected = hasLost || witness.hasReleased(run.runId) ? [] : run.jobs;
  if (settled.toSorted().join() === expected.toSorted().join()) return;
  const all = settled.map((job) => witness.called(job)).join(' and ') || 'nothing';
  witness.say(`${witness.nameOf(run)}${hasLost ? ', which lost its claim,' : ''} settled ${all}`);
}

/** What settles a job for good. */
const FINAL: ReadonlySet<string> = new Set(['complete', 'fail', 'exhaust', 'abandon']);

const SETTLING: ReadonlySet<string> = new Set([...FINAL, 'retry', 'snooze']);
