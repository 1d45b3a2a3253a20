import type { Anchor, WakeUp, WakeUpOptions } from '@rowlock/core/driver';

/** An anchor that receives wake-ups within this process: in an exploration they come when it is their turn. */
export class LocalAnchor implements Anchor {
  readonly proof = 'session';
  readonly pushed = true;
  readonly #untaken: WakeUp[] = [{}];
  #wake: () => void = () => {};

  constructor(readonly workerId: string) {}

  receive(wakeUps: readonly WakeUp[]): void {
    this.#untaken.push(...wakeUps);
    this.#wake();
  }

  async *wakeUps({ signal }: WakeUpOptions): AsyncGenerator<WakeUp> {
    signal.addEventListener('abort', () => this.#wake(), { once: true });
    while (!signal.aborted) {
      const next = this.#untaken.shift();
      if (next !== undefined) yield next;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  async report(): Promise<void> {}

  async release(): Promise<void> {}
}
