import type { Settlement } from '../driver/claim-session.js';
import type { Survey } from '../driver/survey.js';
import type { WakeUp } from '../driver/wake-up.js';
import type { Job } from '../job/job.js';
import type { SweepSource } from './look/sweep-source.js';
import type { Part } from './part.js';
import type { LiveRun } from './run/live-run.js';

/** Passes on to the parts of a worker what happens. Those that do not listen to the events of a run cost the run nothing. */
export class Parts implements Required<Omit<Part, 'sweeps'>> {
  readonly sources: readonly SweepSource[];
  readonly #all: readonly Part[];
  readonly #began: readonly With<'began'>[];
  readonly #ended: readonly With<'ended'>[];
  readonly #reached: readonly With<'reached'>[];
  readonly #settled: readonly With<'settled'>[];

  constructor(parts: readonly Part[]) {
    this.#all = parts;
    this.sources = parts.flatMap(({ sweeps }) => sweeps ?? []);
    this.#began = having(parts, 'began');
    this.#ended = having(parts, 'ended');
    this.#reached = having(parts, 'reached');
    this.#settled = having(parts, 'settled');
  }

  async start(): Promise<void> {
    await Promise.all(this.#all.map((part) => part.start?.()));
  }

  wakeUp(wakeUp: WakeUp): void {
    for (const part of this.#all) part.wakeUp?.(wakeUp);
  }

  surveyed(survey: Survey): void {
    for (const part of this.#all) part.surveyed?.(survey);
  }

  async watch(): Promise<boolean> {
    let again = false;
    for (const part of having(this.#all, 'watch')) again = (await part.watch()) || again;
    return again;
  }

  began(runs: readonly LiveRun[]): void {
    for (const part of this.#began) part.began(runs);
  }

  ended(): void {
    for (const part of this.#ended) part.ended();
  }

  reached(job: Job): void {
    for (const part of this.#reached) part.reached(job);
  }

  settled(jobs: readonly Job[], settlements: readonly Settlement[], tookMs: number): void {
    for (const part of this.#settled) part.settled(jobs, settlements, tookMs);
  }

  idle(): void {
    for (const part of this.#all) part.idle?.();
  }

  async stop(): Promise<void> {
    for (const part of this.#all.toReversed()) await part.stop?.();
  }
}

type With<Event extends keyof Part> = Part & Required<Pick<Part, Event>>;

function having<Event extends keyof Part>(parts: readonly Part[], event: Event): readonly With<Event>[] {
  return parts.filter((part): part is With<Event> => part[event] !== undefined);
}
