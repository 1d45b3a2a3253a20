import type { Response } from 'express';
import { Problem } from '../problem.js';
import type { User } from '../user.js';
import type { PictureFeed, Snapshot } from './picture-feed.js';
import { pictureFor } from './picture-for.js';

/** Comments keep proxies from taking a quiet stream for a dead one. */
const HEARTBEAT_MS = 15_000;

/** More than enough for the tabs of one user. */
const STREAMS_PER_USER = 8;

/** Streams the lock picture as server-sent events, a `picture` at each change, `away` while the database is away. */
export class PictureStreams {
  readonly #feed: PictureFeed;
  readonly #open = new Map<Response, User>();

  constructor(feed: PictureFeed) {
    this.#feed = feed;
  }

  /** @throws Problem 429 when the user has too many streams open. */
  open(user: User, res: Response): void {
    // The reader may have gone while the token was checked: then 'close' does not come any more.
    if (res.destroyed) return;
    const open = [...this.#open.values()].filter(({ id }) => id === user.id).length;
    if (open >= STREAMS_PER_USER) throw new Problem(429, 'Too many pictures are open. Close a tab.');

    this.#open.set(res, user);
    res.set({ 'Content-Type': 'text/event-stream', 'X-Accel-Buffering': 'no' }).flushHeaders();
    res.write('retry: 1000\n\n');

    let shown = '';
    const stopWatching = this.#feed.watch((snapshot) => {
      const event = eventFor(user, snapshot);
      // A reader that is slow gets the next picture instead of all that it missed.
      if (event === shown || res.writableNeedDrain) return;
      shown = event;
      res.write(event);
    });
    const heartbeat = setInterval(() => res.write(': still here\n\n'), HEARTBEAT_MS);
    // Reconnecting then meets the expired token.
    const expiry = setTimeout(() => res.end(), Math.min(user.until.getTime() - Date.now(), 2 ** 31 - 1));

    res.once('close', () => {
      stopWatching();
      clearInterval(heartbeat);
      clearTimeout(expiry);
      this.#open.delete(res);
    });
  }

  /** Ends every stream; the pages reconnect, to another process if need be. */
  close(): void {
    for (const res of this.#open.keys()) res.end();
  }
}

function eventFor(user: User, snapshot: Snapshot | undefined): string {
  if (snapshot === undefined) return 'event: away\ndata: {}\n\n';
  return `event: picture\ndata: ${JSON.stringify(pictureFor(user.id, snapshot))}\n\n`;
}
