import type { Happening, HistoryEvent } from '../src/history/event.js';
import { runIdOf } from '../src/history/run-name.js';
import type { EffectFact, JobFact, OpenFact, RecordFact, Tables } from '../src/history/tables.js';

/** A history made by hand: each line is a millisecond after the one before, unless time passes. */
export class Story {
  readonly events: HistoryEvent[] = [];
  readonly jobs: JobFact[] = [];
  readonly effects: EffectFact[] = [];
  readonly records: RecordFact[] = [];
  readonly open: OpenFact[] = [];
  #now = 1_000;

  get now(): number {
    return this.#now;
  }

  get tables(): Tables {
    return this;
  }

  passes(ms: number): this {
    this.#now += ms;
    return this;
  }

  says(by: string, happening: Happening): this {
    this.events.push({ at: ++this.#now, by, ...happening });
    return this;
  }

  /** A job is enqueued. */
  enqueued(
    job: string,
    key: string | null = 'k',
    kind = 'hold.update',
    more: { poison?: number; fails?: boolean } = {},
  ): this {
    this.says('conductor', { what: 'intended', job, mode: 'hold', kind, key, ...more });
    this.says('conductor', { what: 'committing', job });
    return this.says('conductor', { what: 'committed', job });
  }

  begins(
    worker: string,
    run: string,
    jobs: readonly string[],
    key: string | null = 'k',
    kind = 'hold.update',
  ): this {
    return this.says(worker, { what: 'begin', run, mode: 'hold', kind, key, jobs, aborted: false });
  }

  ends(worker: string, run: string): this {
    return this.says(worker, { what: 'end', run });
  }

  /** The run has settled them: its worker says so, the rows, the records and the effects do. */
  settles(
    worker: string,
    run: string,
    jobs: readonly string[],
    key: string | null = 'k',
    kind = 'hold.update',
  ): this {
    this.says(worker, {
      what: 'settled',
      run,
      endings: jobs.map((job) => [`public-${job}`, 'complete']),
    });
    for (const tag of jobs) {
      this.says(worker, { what: 'effect', run, job: tag });
      this.row(tag, 'complete', run, key, kind);
      this.effects.push({ tag, run: runIdOf(run) });
      this.ended(tag, run, 'complete');
    }
    return this;
  }

  row(
    tag: string,
    status: string,
    run: string | null = null,
    key: string | null = 'k',
    kind = 'hold.update',
  ): this {
    this.#endCrashed(tag, run);
    const made = this.records.filter(({ publicId }) => publicId === `public-${tag}`);
    const crashes = made.filter(({ outcome }) => outcome === 'reclaim').length;
    const attempt = made.length + (status === 'complete' ? 1 : 0);
    const runId = run === null ? null : runIdOf(run);
    this.jobs.push({
      ...{ tag, publicId: `public-${tag}`, mode: 'hold', kind, key, status, run: runId },
      ...{ attempt, crashes },
    });
    return this;
  }

  /** A run of the job has ended so, by its record. */
  ended(job: string, run: string, outcome: string): this {
    this.records.push({ publicId: `public-${job}`, run: runIdOf(run), outcome });
    return this;
  }

  /** Earlier runs of the job that have no record are crashes to whoever comes to it. */
  #endCrashed(tag: string, settler: string | null): void {
    const has = (run: string): boolean =>
      this.records.some((record) => record.publicId === `public-${tag}` && record.run === runIdOf(run));
    for (const event of this.events) {
      if (event.what !== 'begin' || !event.jobs.includes(tag) || event.run === settler) continue;
      if (!has(event.run)) this.ended(tag, event.run, 'reclaim');
    }
  }

  /** Begins, ends and settles. */
  does(
    worker: string,
    run: string,
    jobs: readonly string[],
    key: string | null = 'k',
    kind = 'hold.update',
  ): this {
    return this.begins(worker, run, jobs, key, kind).ends(worker, run).settles(worker, run, jobs, key, kind);
  }
}
