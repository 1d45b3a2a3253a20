import { useEffect, useState } from 'preact/hooks';
import type { Picture } from '../src/web/picture/picture.js';
import type { Session } from '../src/web/views.js';
import { ask } from './ask.js';

/** `away`: the server answers, its database does not. `lost`: the server does not answer. */
export type Connection = 'connecting' | 'live' | 'away' | 'lost';

const AGAIN_MS = 2_000;

/** The lock picture as the server streams it, through every restart. */
export function usePicture(onSignedOut: () => void): {
  picture: Picture | undefined;
  connection: Connection;
} {
  const [picture, setPicture] = useState<Picture>();
  const [connection, setConnection] = useState<Connection>('connecting');

  useEffect(() => {
    let source: EventSource;
    let timer: ReturnType<typeof setTimeout> | undefined;

    function open(): void {
      source = new EventSource('/api/picture');
      source.addEventListener('picture', ({ data }: MessageEvent<string>) => {
        setConnection('live');
        setPicture(JSON.parse(data));
      });
      source.addEventListener('away', () => setConnection('away'));
      source.addEventListener('error', () => {
        setConnection('lost');
        // An answer that is no stream ends it for good; a broken connection is tried again by the browser.
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(() => void again(), AGAIN_MS);
      });
    }

    async function again(): Promise<void> {
      const session = await ask<Session>('GET', '/session').catch(() => undefined);
      if (session?.user === null) onSignedOut();
      else open();
    }

    open();
    return () => {
      source.close();
      clearTimeout(timer);
    };
  }, []);

  return { picture, connection };
}
