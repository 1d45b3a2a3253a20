import { Socket } from 'node:net';

type Done = (error?: Error | null) => void;

/** How many turns of the event loop a program has for what it says to an answer. */
const TURNS = 20;

/**
 * Counts the round trips that follow one another, whatever goes beside each other on several connections. An answer is
 * held until each connection that has said something has its own. Then all come at once, which is one round trip.
 */
export class Flights {
  readonly #isOver: (said: string) => boolean;
  readonly #isSleep: (said: string) => boolean;
  readonly #waiting = new Set<Held>();
  readonly #held = new Set<Held>();
  /** Whether somebody has waited for what is held: the rest of an answer is no round trip of its own. */
  #isAnswer = false;
  #isWatching = false;
  #turns = 0;
  #over = false;
  /** How many round trips were over before the last statement was said. */
  count = 0;

  /**
   * @param isOver Whether this is the last statement to count to. From then on nothing is held.
   * @param isSleep Whether a connection sleeps on the server from now on, so that nobody waits for its answers.
   */
  constructor(isOver: (said: string) => boolean, isSleep: (said: string) => boolean = () => false) {
    this.#isOver = isOver;
    this.#isSleep = isSleep;
  }

  /** A socket that is not connected. It waits from now on: on MySQL the server speaks first. */
  socket(): Socket {
    const held: Held = new Held({
      said: (piece) => this.#said(held, piece.toString('latin1')),
      came: () => this.#came(held),
      closed: () => this.#closed(held),
    });
    this.#waiting.add(held);
    return held;
  }

  #said(socket: Held, said: string): void {
    this.#over ||= this.#isOver(said);
    socket.sleeps ||= this.#isSleep(said);
    if (!socket.sleeps) this.#waiting.add(socket);
    this.#watch();
  }

  #came(socket: Held): void {
    this.#isAnswer = this.#waiting.delete(socket) || this.#isAnswer;
    this.#held.add(socket);
    this.#watch();
  }

  #closed(socket: Held): void {
    this.#waiting.delete(socket);
    this.#watch();
  }

  /** Lets the answers go when the program has said all that it can say without them. */
  #watch(): void {
    this.#turns = 0;
    if (this.#isWatching) return;
    this.#isWatching = true;
    const turn = (): void => {
      if (!this.#over && this.#turns++ < TURNS) return void setImmediate(turn);
      this.#isWatching = false;
      if (this.#over || this.#waiting.size === 0) this.#letGo();
    };
    setImmediate(turn);
  }

  #letGo(): void {
    if (this.#held.size === 0) return;
    if (this.#isAnswer && !this.#over) this.count += 1;
    this.#isAnswer = false;
    for (const socket of this.#held) socket.letGo();
    this.#held.clear();
  }
}

/** The least count of up to five starts, until one has at most `most`. On a busy machine an answer comes in pieces, which count more. */
export async function leastFlights(most: number, start: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let starts = 0; starts < 5 && least > most; starts++) least = Math.min(least, await start());
  return least;
}

interface Events {
  said(piece: Buffer): void;
  came(): void;
  closed(): void;
}

/** A socket whose answers are held. */
class Held extends Socket {
  /** Whether nobody waits for its answers. */
  sleeps = false;
  readonly #events: Events;
  #pieces: unknown[] = [];

  constructor(events: Events) {
    super();
    this.#events = events;
    this.on('close', () => events.closed());
  }

  letGo(): void {
    for (const piece of this.#pieces.splice(0)) super.push(piece);
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: Done): void {
    this.#events.said(chunk);
    super._write(chunk, encoding, done);
  }

  override _writev(chunks: { chunk: Buffer; encoding: BufferEncoding }[], done: Done): void {
    this.#events.said(Buffer.concat(chunks.map(({ chunk }) => chunk)));
    super._writev?.(chunks, done);
  }

  override push(piece: unknown): boolean {
    this.#pieces.push(Buffer.isBuffer(piece) ? Buffer.from(piece) : piece);
    this.#events.came();
    return true;
  }
}
