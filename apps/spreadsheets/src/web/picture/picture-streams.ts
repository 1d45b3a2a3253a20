import { Problem } from '@rowlock/app-shared/web';
import type { Response } from 'express';
import type { User } from '../user.js';
import type { Picture } from './picture.js';
import type { PictureFeed, Snapshot } from './picture-feed.js';
import { PicturesOf } from './pictures-of.js';

/** More than enough for the tabs of one user. */
const STREAMS_PER_USER = 8;

interface Times {
  /** How often a comment keeps proxies from taking a quiet stream for a dead one, in milliseconds. */
  readonly heartbeatMs: number;
  /** How long a reader may take for what it has still to read when its stream has ended, in milliseconds. */
  readonly graceMs: number;
}

const TIMES: Times = { heartbeatMs: 15_000, graceMs: 5_000 };

interface Stream {
  readonly user: User;
  /** Writes nothing more. */
  readonly end: () => void;
}

/** Streams the lock picture as server-sent events, a `picture` at each change, `away` while the database is away. */
export class PictureStreams {
  readonly #feed: PictureFeed;
  readonly #times: Times;
  readonly #open = new Set<Stream>();

  constructor(feed: PictureFeed, times: Times = TIMES) {
    this.#feed = feed;
    this.#times = times;
  }

  /** @throws Problem 429 when the user has too many streams open. */
  open(user: User, res: Response): void {
    // The reader may have gone while the token was checked: then 'close' does not come any more.
    if (res.destroyed) return;
    const open = [...this.#open].filter((stream) => stream.user.id === user.id).length;
    if (open >= STREAMS_PER_USER) throw new Problem(429, 'Too many pictures are open. Close a tab.');

    res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).flushHeaders();
    res.write('retry: 1000\n\n');
    const stop = this.#draw(user, res);
    let grace: NodeJS.Timeout | undefined;
    const end = (): void => {
      stop();
      res.end();
      grace ??= setTimeout(() => res.destroy(), this.#times.graceMs);
    };
    // Reconnecting then meets the expired token.
    const expiry = setTimeout(end, Math.min(user.until.getTime() - Date.now(), 2 ** 31 - 1));
    const stream = { user, end };
    this.#open.add(stream);
    res.once('close', () => {
      stop();
      clearTimeout(expiry);
      clearTimeout(grace);
      this.#open.delete(stream);
    });
  }

  /** Ends every stream; the pages reconnect, to another process if need be. */
  close(): void {
    for (const { end } of this.#open) end();
  }

  /** @returns what stops it. */
  #draw(user: User, res: Response): () => void {
    let shown = '';
    const stopWatching = this.#feed.watch((snapshot) => {
      const { text, bytes } = eventFor(user, snapshot);
      // A reader that is slow gets the next picture instead of all that it missed.
      if (text === shown || res.writableNeedDrain) return;
      shown = text;
      res.write(bytes);
    });
    const heartbeat = setInterval(() => res.write(': still here\n\n'), this.#times.heartbeatMs);
    return () => {
      stopWatching();
      clearInterval(heartbeat);
    };
  }
}

interface Event {
  readonly text: string;
  readonly bytes: Buffer;
}

const AWAY = eventOf('away', {});
/** One for each snapshot, and one for each picture, however many streams show it. */
const pictures = new WeakMap<Snapshot, PicturesOf>();
const events = new WeakMap<Picture, Event>();

function eventFor(user: User, snapshot: Snapshot | undefined): Event {
  if (snapshot === undefined) return AWAY;
  const of = pictures.get(snapshot) ?? new PicturesOf(snapshot);
  pictures.set(snapshot, of);
  const picture = of.for(user.id);
  const event = events.get(picture) ?? eventOf('picture', picture);
  events.set(picture, event);
  return event;
}

function eventOf(name: string, data: object): Event {
  const text = `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
  return { text, bytes: Buffer.from(text) };
}
