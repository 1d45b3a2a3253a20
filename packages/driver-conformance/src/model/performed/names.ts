import { randomUUID } from 'node:crypto';
import type { Json } from '@rowlock/core';
import type { Job, JobId, PauseTarget } from '@rowlock/core/driver';
import type { Reader } from '../../driver-harness.js';
import { type Filter, QUEUES, type WantedLimits } from '../parts.js';

/** Knows what the database calls that which the model calls `job 0`, `run 0`, `worker 0`, `q` and `k`, both ways. */
export class Names {
  readonly #reader: Reader;
  /** Before the names of queues and keys, so that each sequence has its own. */
  readonly #prefix = `${randomUUID().slice(0, 13)}-`;
  readonly #jobs: string[] = [];
  readonly #ids = new Map<JobId, string>();
  readonly #runs: string[] = [];
  readonly #workers: string[] = [];

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  get queues(): readonly string[] {
    return QUEUES.map((queue) => this.own(queue));
  }

  get workers(): readonly string[] {
    return this.#workers;
  }

  addJob(publicId: string): void {
    this.#jobs.push(publicId);
  }

  newRun(): string {
    const runId = randomUUID();
    this.#runs.push(runId);
    return runId;
  }

  addWorker(id: string): void {
    this.#workers.push(id);
  }

  publicId(place: number): string {
    return this.#jobs[place] ?? '';
  }

  runId(run: number): string {
    return this.#runs[run] ?? '';
  }

  /** The job as its row has it now. */
  async row(place: number): Promise<{ readonly id: JobId; readonly priority: number }> {
    const row = await this.#reader.job(this.publicId(place));
    if (row === undefined) throw new Error(`There is no row of job ${place}.`);
    return row;
  }

  own(name: string): string {
    return this.#prefix + name;
  }

  /** The text of a row's limits. */
  limitsText(limits: WantedLimits | null): string {
    if (limits === null) return '';
    return JSON.stringify(
      Object.fromEntries(Object.entries(limits).map(([name, member]) => [this.own(name), member])),
    );
  }

  /** The members of a row's text of limits. */
  shortLimits(text: string): object | null {
    return text === '' ? null : this.shortMembers(JSON.parse(text));
  }

  shortMembers<Member>(members: { readonly [name: string]: Member }): object {
    return Object.fromEntries(Object.entries(members).map(([name, member]) => [this.short(name), member]));
  }

  /** Kinds have no prefix. */
  ownTarget({ scope, name }: PauseTarget): PauseTarget {
    return { scope, name: scope === 'queue' || scope === 'limit' ? this.own(name) : name };
  }

  ownFilter({ queue, key, ...others }: Filter) {
    return { ...others, queue: this.own(queue), ...(key !== undefined && { key: this.own(key) }) };
  }

  isOwn(name: string): boolean {
    return name.startsWith(this.#prefix);
  }

  short(name: string | null): string | null {
    return name !== null && this.isOwn(name) ? name.slice(this.#prefix.length) : name;
  }

  job(publicId: string): string {
    return `job ${this.place(publicId)}`;
  }

  place(publicId: string): number {
    return this.#jobs.indexOf(publicId);
  }

  async jobOf(id: JobId): Promise<string> {
    if (!this.#ids.has(id)) {
      for (const queue of this.queues) for (const row of await this.#reader.jobs(queue)) this.meet(row);
    }
    return this.#ids.get(id) ?? `unknown job ${id}`;
  }

  /** Keeps whose id this is. */
  meet({ id, publicId }: Pick<Job, 'id' | 'publicId'>): void {
    this.#ids.set(id, this.job(publicId));
  }

  run(runId: Json): string | null {
    if (runId === null) return null;
    return `run ${this.#runs.indexOf(String(runId))}`;
  }

  worker(id: string): string {
    return `worker ${this.#workers.indexOf(id)}`;
  }

  /** The parts of a job that never change. */
  asWanted(job: Pick<Job, 'publicId' | 'queue' | 'kind' | 'key' | 'priority'>): object {
    const { publicId, queue, kind, key, priority } = job;
    return { job: this.job(publicId), queue: this.short(queue), kind, key: this.short(key), priority };
  }
}
