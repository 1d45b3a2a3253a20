import { Inject } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import { Rowlock, type Worker } from '@rowlock/core';
import { type HealthCheck, health } from '@rowlock/telemetry';
import { WORKER } from './worker-token.js';

/**
 * Rowlock's health check for Terminus. Add it to the `providers` of a module that imports `TerminusModule`.
 *
 * @example
 * health.check([() => rowlock.isReady('jobs')])
 */
export class RowlockHealthIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #health: HealthCheck;

  constructor(indicators: HealthIndicatorService, rowlock: Rowlock, worker: Worker | null) {
    this.#indicators = indicators;
    this.#health = health(rowlock, worker ?? undefined);
  }

  /** Whether the process can do its work: if not, only a new process can. It does not look at the database. */
  async isLive<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const { live, reasons } = this.#health.live();
    return this.#result(key, live, reasons);
  }

  /** Whether it does its work at the moment: the database answers and is migrated, and the worker is alive. */
  async isReady<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const { ready, reasons } = await this.#health.check();
    return this.#result(key, ready, reasons);
  }

  #result<const Key extends string>(
    key: Key,
    isUp: boolean,
    reasons: readonly string[],
  ): HealthIndicatorResult<Key> {
    const indicator = this.#indicators.check(key);
    return isUp ? indicator.up() : indicator.down({ reasons });
  }
}

// Called, and not written as decorators: those would bring helpers of a compiler into the package.
for (const [place, token] of [HealthIndicatorService, Rowlock, WORKER].entries())
  Inject(token)(RowlockHealthIndicator, undefined, place);
