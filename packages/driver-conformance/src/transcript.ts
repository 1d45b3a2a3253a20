type Event = 'start' | 'settled' | 'idle';

/** What connections say from a worker's start until it rests, with the worker's events in between. */
export class Transcript {
  readonly #lines: string[] = [];
  readonly #letters = new Map<object, string>();
  #isOn = false;

  readonly #events: readonly Event[];

  /** @param events Those that come in one order with what is said. */
  constructor(events: readonly Event[] = ['start', 'settled', 'idle']) {
    this.#events = events;
  }

  event(name: Event): void {
    this.#isOn = name !== 'idle';
    if (this.#events.includes(name)) this.#lines.push(`-- ${name}`);
  }

  /** @param connection Has a letter, by the order in which they come to speak. @param what Of nothing, no line. */
  said(connection: object, what: string): void {
    if (!this.#isOn || what === '') return;
    const letter = this.#letters.get(connection) ?? String.fromCharCode(97 + this.#letters.size);
    this.#letters.set(connection, letter);
    this.#lines.push(`${letter}: ${what}`);
  }

  get text(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
