import type { Driver } from '@rowlock/core';
import type { ClaimSession, Job, JobId, Joined } from '@rowlock/core/driver';
import type { Caller as CallerTransaction, DriverProcess } from '../../driver-harness.js';
import { ACTORS, type Actor, type Caller, isCaller } from '../parts.js';
import { Names } from './names.js';
import { endSession, openSession, type Session } from './session.js';
import type { Setting } from './setting.js';

/** So long that no sequence meets it. */
const IDLE_LIMIT_MS = 600_000;

/** A claim that is open, and what its owner has learnt of it. */
export interface Claim<Tx> {
  readonly held: ClaimSession<Tx>;
  readonly jobs: Map<JobId, Job>;
  run: string | null;
  /** Whether its jobs are of a lease. */
  isLeased: boolean;
  crashes: ReadonlyMap<JobId, number>;
}

export interface Lease {
  readonly run: string;
  readonly jobs: ReadonlyMap<JobId, Job>;
  readonly crashes: ReadonlyMap<JobId, number>;
}

/** What everybody in one sequence has open. */
export class WorldState<Tx> {
  readonly setting: Setting<Tx>;
  readonly names: Names;
  readonly claims = new Map<Actor, Claim<Tx>>();
  /** Each actor makes its claims on one connection, one after the other. */
  readonly slots = new Map<Actor, ClaimSession<Tx>>();
  readonly callers = new Map<Caller, CallerTransaction<Tx>>();
  readonly sessions = new Map<Actor, Session>();
  readonly leases: Lease[] = [];
  /** The jobs of each run that is on record. */
  readonly runs = new Map<string, readonly JobId[]>();
  /** Is called when the session of the worker is open again. */
  readonly onBack = new Map<Actor, () => void>();
  /** The id of each take of starts. */
  readonly takes: string[] = [];
  /** By what it is of: what takes a setting back, which the next sequence would meet. */
  readonly resets = new Map<string, (joined: Joined) => Promise<void>>();

  constructor(setting: Setting<Tx>) {
    this.setting = setting;
    this.names = new Names(setting.database.reader);
  }

  async process(by: Actor): Promise<DriverProcess<Tx>> {
    const { processes, database } = this.setting;
    const process = processes.get(by) ?? (await database.process());
    processes.set(by, process);
    return process;
  }

  async driver(by: Actor): Promise<Driver<Tx>> {
    return this.setting.broken((await this.process(by)).driver);
  }

  /** So many milliseconds from now, by the database's clock. */
  async in(ms: number): Promise<Date> {
    return new Date((await this.setting.database.reader.now()).getTime() + ms);
  }

  /** The driver, or the transaction of an application. */
  async store(by: Actor | Caller): Promise<Joined> {
    if (!isCaller(by)) return this.driver(by);
    return (await this.driver(ACTORS[0])).join((await this.caller(by)).tx);
  }

  async session(by: Actor): Promise<Session> {
    const open = this.sessions.get(by);
    if (open !== undefined) return open;
    const driver = await this.driver(by);
    const session = await openSession(driver, this.names, by, () => this.onBack.get(by)?.());
    this.sessions.set(by, session);
    return session;
  }

  async begin(by: Actor): Promise<Claim<Tx>> {
    const open = this.claims.get(by);
    if (open !== undefined) return open;
    const held = await this.#slot(by);
    const claim: Claim<Tx> = { held, jobs: new Map(), run: null, isLeased: false, crashes: new Map() };
    this.claims.set(by, claim);
    return claim;
  }

  async #slot(by: Actor): Promise<ClaimSession<Tx>> {
    const open = this.slots.get(by);
    if (open !== undefined) return open;
    const slot = (await this.driver(by)).claims.session({ idleLimitMs: IDLE_LIMIT_MS });
    this.slots.set(by, slot);
    return slot;
  }

  claim(by: Actor): Claim<Tx> {
    const claim = this.claims.get(by);
    if (claim === undefined) throw new Error(`${by} has no claim.`);
    return claim;
  }

  /** The claim, which is its owner's no longer: what is done next ends it. */
  lastOf(by: Actor): Claim<Tx> {
    const claim = this.claim(by);
    this.claims.delete(by);
    return claim;
  }

  runOf(claim: Claim<Tx>): string {
    claim.run ??= this.names.newRun();
    return claim.run;
  }

  async caller(by: Caller): Promise<CallerTransaction<Tx>> {
    const caller = this.callers.get(by) ?? (await this.setting.database.caller());
    this.callers.set(by, caller);
    return caller;
  }

  /** Gives up each transaction that is open. */
  async end(): Promise<void> {
    const open = [...this.claims.values()].map(({ held }) => held.rollback());
    await Promise.all([...open, ...[...this.callers.values()].map((caller) => caller.rollback())]);
    this.claims.clear();
    this.callers.clear();
  }

  /** Leaves nothing behind. */
  async close(): Promise<void> {
    await this.end();
    const driver = await this.driver(ACTORS[0]);
    for (const reset of this.resets.values()) await reset(driver);
    await Promise.all([...this.sessions.values()].map(endSession));
  }
}
