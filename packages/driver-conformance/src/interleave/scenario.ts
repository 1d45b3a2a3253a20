import type { Enqueued, SlotHolder } from '@rowlock/core';

/** What actors do together, whatever the order of their steps. */
export interface Scenario {
  readonly name: string;
  readonly kinds: readonly ScenarioKind[];
  /** The letters of the workers. Each serves all kinds, one run at a time. */
  readonly workers: readonly string[];
  /** What is in the table before anybody begins. */
  readonly before?: Script;
  /** Whether jobs may be put off, by their producer or by a retry. */
  readonly putsOff?: boolean;
  /** Whether jobs may wait for others by their `after`. */
  readonly follows?: boolean;
  /** A worker whom the server's word that this was committed does not reach, once. */
  readonly unanswered?: { readonly worker: string; readonly commit: LostAnswer };
  /** What others do meanwhile, by their letters. */
  readonly scripts?: Readonly<Record<string, Script>>;
}

/** The commit of a lease, or of its settlement. */
export type LostAnswer = 'lease' | 'settlement';

export interface ScenarioKind {
  readonly kind: string;
  readonly group?: boolean;
  readonly after?: readonly string[];
  /** Default: hold. */
  readonly claim?: 'hold' | 'lease';
  /** Whether its handler throws at a job's first attempt. */
  readonly throwsFirst?: boolean;
  /** How many of its runs go on at once. All kinds have the same limit. */
  readonly limit?: number;
  /** A queue other than the scenario's own. */
  readonly apart?: boolean;
}

export type Script = (hands: Hands) => Promise<void>;

/** What a script can do. Each deed takes the steps that the real client takes. Jobs have names, and all one key. */
export interface Hands {
  enqueue(name: string, options?: JobOptions): Promise<Enqueued>;
  /** Undefined when the job had ended. */
  cancel(name: string): Promise<'cancelled' | 'signalled' | undefined>;
  /** False when the job could not be redriven, as it was in another state or its unique key taken. */
  redrive(name: string): Promise<boolean>;
  /** Opens an application's own transaction. */
  open(): Promise<OpenHands>;
  /** Gives the limit another size. */
  resize(max: number): Promise<void>;
  /** Takes a slot of the limit without a job. Undefined if all are taken. */
  acquire(max: number): Promise<Pick<SlotHolder, 'release'> | undefined>;
  /** Pauses the scenario's own queue. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Adds to a number in the job's metadata, unless the job is locked. */
  update(name: string): Promise<void>;
  /** The server ends the connections of a worker. */
  disconnect(worker: string): Promise<void>;
  /** A worker dies, and with it its connections. */
  kill(worker: string): Promise<void>;
  /** A worker's session ends, and it does not learn of it: others take it for dead. Its connections for claims stay. */
  declareDead(worker: string): Promise<void>;
  /** What was put off becomes due. It does so also when all are at rest, before one comes back. */
  timePasses(): Promise<void>;
  /** A worker is stopped without patience: it gives back what it runs. */
  stop(worker: string): Promise<void>;
}

export interface OpenHands {
  enqueue(name: string, options?: JobOptions): Promise<Enqueued>;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

export interface JobOptions {
  /** Default: the scenario's first. */
  readonly kind?: string;
  readonly priority?: number;
  readonly unique?: string;
  /** Whether it has no key. */
  readonly keyless?: boolean;
  /** The names of jobs that go first. */
  readonly after?: readonly string[];
  /** Not due until time passes. */
  readonly later?: boolean;
}
