import { once } from 'node:events';
import { Socket } from 'node:net';

/** Where nobody listens. */
const CLOSED_PORT = 1;

/**
 * The sockets of one driver, which end together: what the server sees of a process that was killed. What passes takes no other
 * way than an application's does, where a `severableServer` between both passes each piece on for as much CPU time as the driver needs.
 */
export class SeverableSockets {
  readonly #open = new Set<Socket>();
  #severed = false;

  /** One more, which is not connected yet. Once they are severed it is refused wherever it connects to. */
  open(): Socket {
    const socket = new SeverableSocket(() => this.#severed);
    socket.setNoDelay(true);
    // Before it connects, each `ref` and `unref` is a listener.
    socket.setMaxListeners(0);
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    return socket;
  }

  /** Ends every one at once. */
  async sever(): Promise<void> {
    this.#severed = true;
    const closed = [...this.#open].map((socket) => once(socket, 'close'));
    for (const socket of this.#open) socket.destroy();
    await Promise.all(closed);
  }
}

class SeverableSocket extends Socket {
  readonly #severed: () => boolean;

  constructor(severed: () => boolean) {
    super();
    this.#severed = severed;
  }

  override connect(...place: readonly unknown[]): this {
    return Reflect.apply(super.connect, this, this.#severed() ? [CLOSED_PORT, '127.0.0.1'] : place);
  }
}
