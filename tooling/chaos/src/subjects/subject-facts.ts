import type { FoundTick } from '../schedules/check-ticks.js';
import type { Plain, Row, System } from '../system.js';

/** What the tables hold of the subjects' jobs when everything is over, read by a plain client. */
export interface SubjectFacts {
  readonly jobs: readonly SubjectJob[];
  /** How many marks each job left. */
  readonly marks: ReadonlyMap<string, number>;
  /** How many committed changes each captured row had. */
  readonly changes: ReadonlyMap<string, number>;
  /** Rows that have changed, and whose copies are missing, too many, or not of their last change. */
  readonly stale: readonly string[];
  readonly ticks: readonly FoundTick[];
}

export interface SubjectJob {
  readonly publicId: string;
  readonly queue: string;
  readonly kind: string;
  readonly key: string | null;
  readonly status: string;
  /** By its metadata. */
  readonly tokens: readonly string[];
  readonly increments: number;
}

const STALE = `
  SELECT chaos_row.id FROM chaos_row
  WHERE id IN (SELECT id FROM chaos_change)
    AND (SELECT COUNT(*) FROM chaos_copy WHERE chaos_copy.id = chaos_row.id AND chaos_copy.version = chaos_row.version) <> 2
  UNION ALL
  SELECT id FROM chaos_copy WHERE id NOT IN (SELECT id FROM chaos_row)`;

export async function readSubjects<Tx>(system: System<Tx>, { ask }: Plain<Tx>): Promise<SubjectFacts> {
  const counts = async (sql: string): Promise<ReadonlyMap<string, number>> =>
    new Map((await ask(sql)).map(({ name, number }) => [String(name), Number(number)]));
  return {
    jobs: (await ask(system.subjectJobs)).map(toJob),
    marks: await counts('SELECT job AS name, COUNT(*) AS number FROM chaos_mark GROUP BY job'),
    changes: await counts('SELECT id AS name, COUNT(*) AS number FROM chaos_change GROUP BY id'),
    stale: (await ask(STALE)).map(({ id }) => String(id)),
    ticks: (await ask(system.ticks))
      .filter(({ schedule }) => schedule !== null)
      .map(({ schedule, at, jobs }) => ({
        schedule: String(schedule),
        atMs: Date.parse(String(at)),
        jobs: Number(jobs),
      })),
  };
}

function toJob({ publicId, queue, kind, key, status, given, tokens }: Row): SubjectJob {
  return {
    publicId: String(publicId),
    queue: String(queue),
    kind: String(kind),
    key: key === null ? null : String(key),
    status: String(status),
    tokens: typeof given === 'string' ? JSON.parse(given) : [],
    increments: Number(tokens ?? 0),
  };
}
