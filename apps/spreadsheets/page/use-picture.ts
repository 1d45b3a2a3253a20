import { useEffect, useState } from 'preact/hooks';
import type { Picture } from '../src/web/picture/picture.js';
import type { Session } from '../src/web/views.js';
import { ask } from './ask.js';

/** `away`: the server answers, its database does not. `refused`: it answers, with no picture. `lost`: it does not answer. */
export type Connection = 'connecting' | 'live' | 'away' | 'refused' | 'lost';

const AGAIN_MS = 2_000;

/** The lock picture as the server streams it, through every restart. */
export function usePicture(onSignedOut: () => void): {
  picture: Picture | undefined;
  connection: Connection;
} {
  const [picture, setPicture] = useState<Picture>();
  const [connection, setConnection] = useState<Connection>('connecting');

  useEffect(() => {
    let source: EventSource | undefined;
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function open(): void {
      const stream = new EventSource('/api/picture');
      source = stream;
      stream.addEventListener('picture', ({ data }: MessageEvent<string>) => {
        setConnection('live');
        setPicture(JSON.parse(data));
      });
      stream.addEventListener('away', () => setConnection('away'));
      stream.addEventListener('error', () => {
        // An answer that is no stream ends it for good; a broken connection is tried again by the browser.
        const isRefused = stream.readyState === EventSource.CLOSED;
        setConnection(isRefused ? 'refused' : 'lost');
        if (isRefused) timer = setTimeout(() => void again(), AGAIN_MS);
      });
    }

    async function again(): Promise<void> {
      const session = await ask<Session>('GET', '/session').catch(() => undefined);
      if (isOver) return;
      if (session?.user === null) return onSignedOut();
      if (session === undefined) setConnection('lost');
      show();
    }

    function close(): void {
      source?.close();
      source = undefined;
      clearTimeout(timer);
    }

    // On HTTP/1.1 a browser has six connections to a host: tabs that nobody sees would leave none.
    function show(): void {
      close();
      if (!isOver && !document.hidden) open();
    }

    show();
    document.addEventListener('visibilitychange', show);
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', show);
      close();
    };
  }, []);

  return { picture, connection };
}
