import {
  type Clock,
  createRowlock,
  type Driver,
  type Json,
  type Logger,
  type Plugin,
  type Rowlock,
  type Schedule,
  type Worker,
  type WorkerOptions,
} from '@rowlock/core';
import { type AnyHandler, systemClock } from '@rowlock/core/driver';
import type { HandlerDefaults } from '@rowlock/core/types';
import type { DriverProcess, ProcessOptions } from './driver-harness.js';
import type { Stage } from './stage.js';
import { within } from './until.js';

/** A worker in a process of its own, and the client beside it. */
export interface WorkerProcess<Tx> {
  readonly rowlock: Rowlock<Tx>;
  readonly worker: Worker<Tx>;
  readonly process: DriverProcess<Tx>;
}

export interface WorkerProcessOptions<Tx = unknown> extends WorkerOptions, ProcessOptions {
  readonly plugins?: readonly Plugin<Tx>[];
  readonly schedules?: Readonly<Record<string, Schedule>>;
  readonly defaults?: HandlerDefaults;
  /** What the worker's time goes by. Default: the process's own. */
  readonly clock?: Clock;
}

/** Nothing but wake-ups and the worker's own alarms bring it to look again. */
const NO_POLL: WorkerOptions = { pollInterval: '1h', watchInterval: '20ms' };

/** Retries without a pause worth the name. */
export const SOON = { base: 1, factor: 1, cap: 1 } as const;

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A client on the stage's shared driver. */
export function clientOf<Tx>(
  { driver }: Stage<Tx>,
  handlers: readonly AnyHandler<Tx>[],
  plugins: readonly Plugin<Tx>[] = [],
): Rowlock<Tx> {
  return createRowlock({ driver, handlers, plugins, log: SILENT });
}

/** A worker in a process of its own, not yet started. It is stopped after the test. `through` may stand before its driver. */
export async function openWorker<Tx>(
  stage: Stage<Tx>,
  handlers: readonly AnyHandler<Tx>[],
  {
    clock = systemClock,
    plugins = [],
    schedules = {},
    defaults = {},
    sessions,
    answerMs,
    cable,
    mostConnections,
    ...options
  }: WorkerProcessOptions<Tx> = {},
  through: (driver: Driver<Tx>) => Driver<Tx> = (driver) => driver,
): Promise<WorkerProcess<Tx>> {
  const process = await stage.process({
    ...(sessions && { sessions }),
    ...(answerMs && { answerMs }),
    ...(cable && { cable }),
    ...(mostConnections && { mostConnections }),
  });
  const own = stage.workersLease
    ? handlers.map((handler) => ({ ...handler, claim: 'lease' as const }))
    : handlers;
  const driver = through(process.driver);
  const rowlock = createRowlock({ driver, handlers: own, plugins, schedules, defaults, clock, log: SILENT });
  const worker = rowlock.worker({ ...NO_POLL, ...options });
  stage.defer(() => within('the worker has stopped', worker.stop({ drain: 0 })));
  return { rowlock, worker, process };
}

/** As `openWorker`, and started. */
export async function startWorker<Tx>(
  stage: Stage<Tx>,
  handlers: readonly AnyHandler<Tx>[],
  options?: WorkerProcessOptions<Tx>,
): Promise<WorkerProcess<Tx>> {
  const hand = await openWorker(stage, handlers, options);
  await hand.worker.start();
  return hand;
}

/** A Standard Schema that accepts every JSON. */
export const AnyJson = schemaOf((value): value is Json => value !== undefined);

/** A Standard Schema that accepts numbers. */
export const ANumber = schemaOf((value) => typeof value === 'number');

interface Schema<Payload> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(
      value: unknown,
    ): { readonly value: Payload } | { readonly issues: readonly { readonly message: string }[] };
    readonly types?: { readonly input: Payload; readonly output: Payload };
  };
}

function schemaOf<Payload>(accepts: (value: unknown) => value is Payload): Schema<Payload> {
  return {
    '~standard': {
      version: 1,
      vendor: 'rowlock-conformance',
      validate: (value) => (accepts(value) ? { value } : { issues: [{ message: 'not of this form' }] }),
    },
  };
}
