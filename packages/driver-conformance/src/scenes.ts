import {
  createRowlock,
  type DefineHandler,
  type Driver,
  defineHandler,
  type HandlerOptions,
} from '@rowlock/core';
import type { RawJob, Reader } from './driver-harness.js';
import { HandClock } from './hand-clock.js';
import type { Transcript } from './transcript.js';
import { AnyJson } from './worker-process.js';

/** So little work that all that is sent for it can be read. */
export interface Scene {
  readonly name: string;
  readonly jobs: readonly Partial<RawJob>[];
  readonly options?: Partial<HandlerOptions<typeof AnyJson>>;
  /** Whether the handler writes through `tx`. */
  readonly writes?: boolean;
}

const GROUP = [{ key: 'a' }, { key: 'a' }, { key: 'a' }];

/** For files that say what a driver sends in each of them. */
export const SCENES: readonly Scene[] = [
  { name: 'nothing to claim', jobs: [] },
  { name: 'a job', jobs: [{}] },
  { name: 'a job whose handler writes', jobs: [{}], writes: true },
  { name: 'a batch', jobs: [{}, {}, {}], options: { batch: 3 } },
  { name: 'a group', jobs: GROUP, options: { group: true } },
  { name: 'a lease', jobs: [{}], options: { claim: 'lease' } },
];

export interface SceneOptions<Tx> {
  /** Of a database that is migrated and has no jobs. */
  readonly driver: Driver<Tx>;
  readonly reader: Pick<Reader, 'insert'>;
  /** What a handler does that writes. */
  write(tx: Tx): Promise<unknown>;
  readonly transcript: Transcript;
}

/** Lets a worker with one slot do all that there is to do. Resolves when it has stopped. */
export async function play<Tx>({ jobs, options, writes }: Scene, given: SceneOptions<Tx>): Promise<void> {
  const { driver, reader, write, transcript } = given;
  for (const job of jobs) await reader.insert({ queue: 'default', kind: 'work', payload: {}, ...job });
  const define: DefineHandler<Tx> = defineHandler;
  const handler = define({
    kind: 'work',
    payload: AnyJson,
    ...options,
    run: async ({ tx }) => {
      if (writes) await write(tx);
    },
  });
  // Time stands still: what a worker does now and then is not on file.
  const rowlock = createRowlock({ driver, handlers: [handler], clock: new HandClock() });
  const worker = rowlock.worker({ concurrency: 1 });
  for (const event of ['start', 'settled', 'idle'] as const) worker.on(event, () => transcript.event(event));
  const rests = new Promise<void>((resolve) => worker.on('idle', resolve));
  await worker.start();
  await rests;
  await worker.stop();
}
