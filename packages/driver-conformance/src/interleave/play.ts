import { randomUUID } from 'node:crypto';
import type { Caller } from '../driver-harness.js';
import { noLeaks } from '../no-leaks.js';
import { within } from '../until.js';
import type { Actor } from './actor.js';
import type { Breakage } from './breakage.js';
import { Company } from './company.js';
import type { Director } from './director.js';
import { judge } from './judge.js';
import type { Scenario } from './scenario.js';
import type { Scene } from './scene.js';
import { ScriptedActor } from './scripted.js';
import type { Move, Step } from './step.js';
import { apartFrom, type Surroundings } from './surroundings.js';
import { passTime } from './time.js';
import { Witness } from './witness.js';
import { WorkingActor } from './working.js';

/** One order of the actors' steps, and what it led to. */
export interface Played {
  /** The letters of those who went, in their order. */
  readonly schedule: string;
  /** Each step and what came of it. */
  readonly steps: readonly string[];
  readonly violations: readonly string[];
  /** What became of each job. */
  readonly fates: readonly string[];
  /** How many steps waited for a lock. */
  readonly waits: number;
  /** Whether it was broken off, because nothing new could come. */
  readonly abandoned: boolean;
}

/** How often workers come back by themselves when all are at rest, before it is said that they never end. */
const MOST_RETURNS = 20;

/** Plays a scenario in the order that the director decides, with a queue and a key of its own. */
export async function play<Tx>(
  scene: Scene<Tx>,
  scenario: Scenario,
  director: Director,
  breakage: Breakage = {},
): Promise<Played> {
  const one = new Play(scene, scenario, director, breakage);
  try {
    await one.prepare();
    await one.run();
  } finally {
    await one.end();
  }
  await one.judge();
  return one;
}

class Play<Tx> implements Played {
  readonly steps: string[] = [];
  readonly #scene: Scene<Tx>;
  readonly #scenario: Scenario;
  readonly #director: Director;
  readonly #witness: Witness;
  readonly #queue = `queue-${randomUUID().slice(0, 13)}`;
  readonly #queues = [this.#queue, apartFrom(this.#queue)];
  readonly #around: Surroundings<Tx>;
  readonly #workers = new Map<string, WorkingActor<Tx>>();
  readonly #scripted = new Map<string, ScriptedActor<Tx>>();
  readonly #callers: Caller<Tx>[] = [];
  readonly #jobs = new Map<string, string>();
  readonly #sessions = new Map<string, Actor>();
  readonly #doing = new Map<Actor, { readonly place: number; readonly step: Step }>();
  schedule = '';
  waits = 0;
  abandoned = false;
  fates: readonly string[] = [];

  constructor(scene: Scene<Tx>, scenario: Scenario, director: Director, breakage: Breakage) {
    this.#scene = scene;
    this.#scenario = scenario;
    this.#director = director;
    this.#witness = new Witness(scenario.kinds.find(({ limit }) => limit !== undefined)?.limit);
    this.#around = {
      database: scene.database,
      queue: this.#queue,
      witness: this.#witness,
      breakage,
      wakes: (wakeUps) => {
        for (const worker of this.#workers.values()) worker.receive(wakeUps);
      },
      came: (actor, outcome) => this.#note(actor, outcome),
    };
  }

  get violations(): readonly string[] {
    return this.#witness.violations;
  }

  /** Does what comes before, and has all actors come to their first steps. */
  async prepare(): Promise<void> {
    const { kinds, workers, before, scripts = {} } = this.#scenario;
    if (before !== undefined) await this.#before(before);
    const leases = kinds.some(({ claim }) => claim === 'lease');
    for (const letter of workers) {
      const process = await this.#scene.process(letter);
      const session = leases ? await this.#scene.session(letter) : undefined;
      const worker = new WorkingActor(letter, process, this.#scenario, this.#around, session);
      this.#workers.set(letter, worker);
      this.#sessions.set(process.name, worker.actor);
    }
    for (const [letter, script] of Object.entries(scripts)) {
      const process = await this.#scene.process(letter);
      const scripted = this.#hands(letter, process);
      this.#scripted.set(letter, scripted);
      this.#sessions.set(process.name, scripted.actor);
      scripted.start(script);
    }
    for (const worker of this.#workers.values()) await worker.start();
  }

  async run(): Promise<void> {
    const company = new Company(this.#scene.database, this.#sessions, (waiting, holder) => {
      this.waits += 1;
      this.#note(waiting, 'waits');
      this.#witness.waits(waiting.letter, this.#lastStep(waiting), holder?.letter ?? '');
    });
    for (let returns = 0; ; ) {
      await company.still();
      const moves = this.#moves();
      if (moves.length > 0) {
        const chosen = this.#director.choose(moves, this.#isWaiting);
        if (chosen === undefined) {
          this.abandoned = true;
          return;
        }
        this.#go(chosen);
        continue;
      }
      const worker = this.#firstToReturn();
      if (worker === undefined || ++returns > MOST_RETURNS) break;
      this.steps.push(`${worker.actor.letter} comes back`);
      this.#director.restart();
      await this.#passTime();
      worker.comeBack(false);
    }
    for (const actor of this.#sessions.values()) {
      if (actor.waiting) this.#witness.say(`${actor.letter} stays blocked in ${this.#lastStep(actor)}`);
    }
  }

  /** Lets everybody go. Nothing of what comes now is part of the order. */
  async end(): Promise<void> {
    const workers = [...this.#workers.values()];
    const scripted = [...this.#scripted.values()];
    for (const { actor } of [...workers, ...scripted]) actor.free();
    const ended = async (): Promise<void> => {
      await Promise.all([
        ...workers.map((worker) => worker.stop()),
        ...scripted.map((each) => each.done()),
        ...this.#callers.map((caller) => caller.rollback()),
      ]);
    };
    await within('the end of all actors', ended());
  }

  async judge(): Promise<void> {
    if (this.abandoned) return;
    this.fates = await judge(this.#witness, this.#scene.database, this.#queues);
    await noLeaks(this.#scene.database).catch((error: unknown) => this.#witness.say(String(error)));
  }

  async #before(script: NonNullable<Scenario['before']>): Promise<void> {
    const process = await this.#scene.process('before');
    const scripted = this.#hands('before', process);
    scripted.actor.free();
    scripted.start(script);
    await scripted.done();
    this.steps.length = 0;
  }

  #hands(letter: string, process: Awaited<ReturnType<Scene<Tx>['process']>>): ScriptedActor<Tx> {
    const around = letter === 'before' ? { ...this.#around, breakage: {} } : this.#around;
    return new ScriptedActor(letter, process, this.#scenario.kinds, around, {
      key: `key of ${this.#queue}`,
      jobs: this.#jobs,
      callers: this.#callers,
      disconnect: async (worker) => this.#workers.get(worker)?.disconnect(),
      kill: async (worker) => this.#workers.get(worker)?.kill(),
      declareDead: async (worker) => this.#workers.get(worker)?.declareDead(),
      timePasses: () => this.#passTime(),
      stop: async (worker) => this.#workers.get(worker)?.dismiss(),
    });
  }

  #moves(): readonly Move[] {
    const back = [...this.#workers.values()].filter((worker) => worker.mayComeBack);
    const alarms = back.map(({ actor }): Move => ({ actor: actor.letter, step: 'alarm' }));
    const steps = [...this.#sessions.values()].flatMap(({ next }) => next ?? []);
    return [...steps, ...alarms];
  }

  async #passTime(): Promise<void> {
    if (this.#scenario.putsOff) await passTime(this.#scene.database.reader, this.#queues);
  }

  get #isWaiting(): boolean {
    return [...this.#sessions.values()].some(({ waiting }) => waiting);
  }

  #go({ actor: letter, step }: Move): void {
    this.schedule += letter;
    const worker = this.#workers.get(letter);
    const actor = worker?.actor ?? this.#scripted.get(letter)?.actor;
    if (actor !== undefined) this.#doing.set(actor, { place: this.steps.length, step });
    this.steps.push(`${letter} ${step}`);
    if (step === 'alarm') worker?.comeBack(true);
    else actor?.go();
  }

  /** Of those that have an alarm, the one whose turn it is to come back, so that each does. */
  #firstToReturn(): WorkingActor<Tx> | undefined {
    const able = [...this.#workers.values()].filter(({ hasAlarm }) => hasAlarm);
    return able.toSorted((one, other) => one.returns - other.returns)[0];
  }

  #lastStep(actor: Actor): string {
    return this.#doing.get(actor)?.step ?? '';
  }

  #note(actor: Actor, outcome: string): void {
    const doing = this.#doing.get(actor);
    if (doing !== undefined && outcome !== '') this.steps[doing.place] += `: ${outcome}`;
  }
}
