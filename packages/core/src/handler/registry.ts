import type { KindsServed } from '../driver/anchor.js';
import { DuplicateKindError, InvalidInputError } from '../errors.js';
import type { AnyHandler } from './handler.js';

/** Kind → handler. */
export class Registry<Tx> {
  readonly #handlers = new Map<string, AnyHandler<Tx>>();
  readonly #longestHeldRunMs: number;
  readonly #byQueue = new Map<string, AnyHandler<Tx>[]>();

  /** @throws DuplicateKindError when two handlers have one kind. */
  constructor(handlers: Iterable<AnyHandler<Tx>>) {
    for (const handler of handlers) {
      if (Object(handler).code === undefined)
        throw new InvalidInputError('handlers must be made by defineHandler().');
      if (this.#handlers.has(handler.kind)) throw new DuplicateKindError(handler.kind);
      this.#handlers.set(handler.kind, handler);
      this.#byQueue.set(handler.queue, [...this.handlersOf(handler.queue), handler]);
    }
    const held = this.handlers.filter(({ claim }) => claim === 'hold');
    this.#longestHeldRunMs = Math.max(0, ...held.map(({ timeoutMs }) => timeoutMs));
  }

  get handlers(): readonly AnyHandler<Tx>[] {
    return [...this.#handlers.values()];
  }

  get kinds(): readonly string[] {
    return [...this.#handlers.keys()];
  }

  /** The kinds, each with those of its handler's `after`. */
  get kindsServed(): KindsServed {
    return Object.fromEntries([...this.#handlers].map(([kind, { after }]) => [kind, after]));
  }

  get queues(): readonly string[] {
    return [...this.#byQueue.keys()];
  }

  /** The handlers whose jobs are in a queue. */
  handlersOf(queue: string): readonly AnyHandler<Tx>[] {
    return this.#byQueue.get(queue) ?? [];
  }

  /** The most jobs that one run of any handler takes. */
  get largestGroup(): number {
    return Math.max(1, ...this.handlers.map(({ groupMax }) => groupMax));
  }

  /** Whether a handler's jobs have limits. */
  get hasLimits(): boolean {
    return this.handlers.some(({ limit }) => limit !== undefined);
  }

  /** The longest time that a run with a held claim may take, in milliseconds. */
  get longestHeldRunMs(): number {
    return this.#longestHeldRunMs;
  }

  /**
   * The registry of these queues alone.
   *
   * @throws InvalidInputError when it is no list, or an empty one, or one has no handler.
   */
  of(queues: readonly string[]): Registry<Tx> {
    if (!Array.isArray(queues))
      throw new InvalidInputError("queues must be a list, as in { queues: ['mails'] }.");
    const unknown = queues.find((queue) => !this.#byQueue.has(queue));
    if (unknown === undefined && queues.length > 0)
      return new Registry(this.handlers.filter(({ queue }) => queues.includes(queue)));
    const given =
      unknown === undefined ? 'queues is empty' : `No handler is of the queue ${JSON.stringify(unknown)}`;
    throw new InvalidInputError(`${given}. Known: ${this.queues.join(', ')}.`);
  }

  find(kind: string): AnyHandler<Tx> | undefined {
    return this.#handlers.get(kind);
  }
}
