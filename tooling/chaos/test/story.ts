import type { Happening, HistoryEvent } from '../src/history/event.js';
import type { EffectFact, JobFact, RecordFact, Tables } from '../src/history/tables.js';

/** A history made by hand: each line is a millisecond after the one before, unless time passes. */
export class Story {
  readonly events: HistoryEvent[] = [];
  readonly jobs: JobFact[] = [];
  readonly effects: EffectFact[] = [];
  readonly records: RecordFact[] = [];
  #now = 1_000;

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
    more: { poison?: number } = {},
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
    this.says(worker, { what: 'settled', run, endings: jobs.map((job) => [`public-${job}`, 'complete']) });
    for (const tag of jobs) {
      this.says(worker, { what: 'effect', run, job: tag });
      this.row(tag, 'complete', run, key, kind);
      this.effects.push({ tag, run });
      this.records.push({ publicId: `public-${tag}`, run, outcome: 'complete' });
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
    this.jobs.push({ tag, publicId: `public-${tag}`, mode: 'hold', kind, key, status, run });
    return this;
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
