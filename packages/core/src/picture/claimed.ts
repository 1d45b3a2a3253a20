import { waitOf } from '../admission/in-use.js';
import { namesIn, rateOf, ratesOf, sizesOf } from '../admission/limits-text.js';
import type { LimitSetting } from '../driver/admission.js';
import type { WorkerView } from '../driver/anchor.js';
import type { FrontJob } from '../driver/front.js';
import type { TakenSlots } from '../driver/limited-jobs.js';
import type { PauseView } from '../driver/pause.js';
import type { RateTime } from '../driver/situation.js';
import { isServed } from '../stats/served.js';

/** A job's state as the next claim meets it. The words are those of `explain`. */
export interface ClaimedState {
  /**
   * `running`: a run has it. `due`: nothing is in its way. `key`: a run has another job of its key. `earlier`: another
   * job of its key goes first. The others are why no claim takes it. Of several the first of this list counts: `follows`,
   * `delayed`, `paused`, `unserved`, `key`, `earlier`, `after`, `limit`, `rate`.
   */
  readonly state:
    | 'running'
    | 'follows'
    | 'delayed'
    | 'paused'
    | 'unserved'
    | 'key'
    | 'earlier'
    | 'after'
    | 'limit'
    | 'rate'
    | 'due';
  /** Of `follows`, `key`, `earlier` and `after`: the public id of the other job. Of `limit` and `rate`: the name. Otherwise null. */
  readonly waitsFor: string | null;
}

/** What the claim of a queue meets. */
export interface Meeting {
  readonly queue: string;
  readonly now: Date;
  readonly jobs: readonly FrontJob[];
  /** The live workers that serve the queue. */
  readonly workers: readonly WorkerView[];
  readonly pauses: readonly PauseView[];
  readonly slots: readonly TakenSlots[];
  readonly times: readonly RateTime[];
  /** The numbers of limits that were set. */
  readonly settings: readonly LimitSetting[];
}

/** Jobs as the next claim meets them. */
export class Claimed {
  readonly #meeting: Meeting;
  readonly #paused: (scope: PauseView['scope'], name: string) => boolean;
  /** By key, the first job that could run, and the first that a run has. */
  readonly #keys = new Map<string, { first: FrontJob; held: FrontJob | undefined }>();
  /** By the text of limits, the first that keeps the job from running. */
  readonly #limited = new Map<string, ClaimedState | undefined>();

  constructor(meeting: Meeting) {
    this.#meeting = meeting;
    const paused = new Set(meeting.pauses.map(({ scope, name }) => `${scope} ${name}`));
    this.#paused = (scope, name) => paused.has(`${scope} ${name}`);
    for (const job of meeting.jobs.toSorted((one, other) => Number(one.id - other.id))) {
      if (job.key === null || this.#isDelayed(job)) continue;
      const of = this.#keys.get(job.key);
      if (of === undefined) this.#keys.set(job.key, { first: job, held: job.run === null ? undefined : job });
      else if (job.run !== null) of.held ??= job;
    }
  }

  stateOf(job: FrontJob): ClaimedState {
    if (job.run !== null) return state('running');
    if (this.#isDelayed(job))
      return job.followed === null ? state('delayed') : state('follows', job.followed);
    if (this.#isPaused(job)) return state('paused');
    if (!isServed({ queue: this.#meeting.queue, kind: job.kind }, this.#meeting.workers))
      return state('unserved');
    return this.#ofItsKey(job) ?? this.#ofItsLimits(job.limits) ?? state('due');
  }

  #isDelayed({ due, availableAt, run }: FrontJob): boolean {
    return run === null && !(due && availableAt <= this.#meeting.now);
  }

  #isPaused({ kind, limits }: FrontJob): boolean {
    return (
      this.#paused('all', '') ||
      this.#paused('queue', this.#meeting.queue) ||
      this.#paused('kind', kind) ||
      namesIn(limits).some((name) => this.#paused('limit', name))
    );
  }

  #ofItsKey({ id, key, dependency }: FrontJob): ClaimedState | undefined {
    const of = key === null ? undefined : this.#keys.get(key);
    if (of?.held !== undefined) return state('key', of.held.publicId);
    if (of !== undefined && of.first.id < id) return state('earlier', of.first.publicId);
    return dependency === null ? undefined : state('after', dependency);
  }

  #ofItsLimits(text: string): ClaimedState | undefined {
    if (!this.#limited.has(text)) this.#limited.set(text, this.#limit(text) ?? this.#rate(text));
    return this.#limited.get(text);
  }

  #limit(text: string): ClaimedState | undefined {
    const { settings, slots } = this.#meeting;
    const full = sizesOf(text).find(({ name, max }) => {
      const size = settings.find((set) => set.name === name)?.max ?? max;
      return (slots.find((limit) => limit.name === name)?.taken ?? 0) >= size;
    });
    return full && state('limit', full.name);
  }

  #rate(text: string): ClaimedState | undefined {
    const { times, settings } = this.#meeting;
    const used = ratesOf(text).find((rate) => {
      const set = settings.find(({ name }) => name === rate.name);
      return waitOf(rate.name, rateOf({ ...rate, ...set }), times) > 0;
    });
    return used && state('rate', used.name);
  }
}

function state(of: ClaimedState['state'], waitsFor: string | null = null): ClaimedState {
  return { state: of, waitsFor };
}
