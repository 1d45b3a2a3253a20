import type { OnApplicationBootstrap, OnApplicationShutdown, OnModuleDestroy } from '@nestjs/common';
import type { ModulesContainer } from '@nestjs/core';
import type { Rowlock, Worker } from '@rowlock/core';
import type { StopOptions } from '@rowlock/core/types';

/** Starts the worker when all else has started, and stops it while all else is still there. */
export class Lifecycle implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  readonly #rowlock: Pick<Rowlock, 'close'>;
  readonly #worker: Pick<Worker, 'start' | 'stop'> | null;
  readonly #stopping: StopOptions;

  constructor(
    modules: ModulesContainer,
    rowlock: Pick<Rowlock, 'close'>,
    worker: Pick<Worker, 'start' | 'stop'> | null,
    stopping: StopOptions,
  ) {
    this.#rowlock = rowlock;
    this.#worker = worker;
    this.#stopping = stopping;
    // Nest calls the hooks of a start from the farthest module to the nearest, and those of an end the other way round.
    // A handler's services must begin before its first run, and end after its last one.
    for (const module of modules.values()) if (module.providers.has(Lifecycle)) module.distance = -1;
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.#worker?.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#worker?.stop(this.#stopping);
  }

  /** The web server has ended by now, and with it whatever enqueues. */
  async onApplicationShutdown(): Promise<void> {
    await this.#rowlock.close();
  }
}
