import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { SessionView } from '../../src/views.js';
import { Notice } from '../parts/notice.js';
import { ask, RequestFailed } from './ask.js';
import { ConnectionLine } from './connection-line.js';
import { Header } from './header.js';
import { PageContext } from './page.js';
import { usePlace } from './place.js';
import { SCREENS } from './screens.js';
import { guardUnsaved } from './unsaved.js';
import { useConnection } from './use-connection.js';

interface Told {
  readonly text: string;
  readonly isProblem: boolean;
}

const NOTHING: Told = { text: '', isProblem: false };

/** The frame: who looks, the menu, one screen, and what was done last. */
export function App() {
  const [session, setSession] = useState<SessionView>();
  const [closed, setClosed] = useState<RequestFailed>();
  const [live, setLive] = useState(true);
  const [version, setVersion] = useState(0);
  const [told, setTold] = useState(NOTHING);
  const { place, go } = usePlace();
  const { connection, report } = useConnection();
  const sign = connection.fault?.sign;
  // What is shown is read then, and once.
  const readAt = useMemo(() => new Date(), [live, version, place]);
  const isSignedOut = sign === 'signed-out';

  useEffect(guardUnsaved, []);

  // Also after a sign-in in another tab, which may be somebody else's.
  useEffect(() => {
    if (!isSignedOut) void arrive();
  }, [isSignedOut]);

  function arrive(): Promise<void> {
    return ask<SessionView>('session').then(setSession, (error: unknown) =>
      setClosed(error instanceof RequestFailed ? error : new RequestFailed(String(error))),
    );
  }

  const screen = SCREENS[place.screen];
  const main = useFocusOnArrival(place.screen, screen?.title ?? 'Not here');

  if (session === undefined)
    return (
      <main class="screen">
        <h1>Rowlock</h1>
        <Notice text={closed?.message ?? ''}>
          {closed && (
            // A page that is loaded anew may lead to a sign-in.
            <button
              type="button"
              class="small"
              onClick={() => (closed.trouble === 'signed-out' ? location.reload() : void arrive())}
            >
              Try again
            </button>
          )}
        </Notice>
      </main>
    );

  function look(): void {
    setVersion((before) => before + 1);
  }

  function tell(text: string, isProblem = false): void {
    setTold({ text, isProblem });
    look();
  }

  function leave(address: string): void {
    setTold(NOTHING);
    go(address);
  }

  return (
    <PageContext.Provider value={{ session, place, go: leave, live, version, look, tell, report }}>
      <Header live={live} onLive={setLive} readAt={readAt} />
      <main
        class={sign === undefined || sign === 'slow' ? 'screen' : 'screen stale'}
        ref={main}
        tabIndex={-1}
      >
        <ConnectionLine {...connection} />
        <Notice text={told.isProblem ? told.text : ''} />
        <p class="done" role="status">
          {told.isProblem ? '' : told.text}
        </p>
        {screen === undefined ? <p>There is no such screen.</p> : <screen.show key={place.screen} />}
      </main>
    </PageContext.Provider>
  );
}

/** A screen reader begins to read at the new screen. */
function useFocusOnArrival(screen: string, title: string) {
  const main = useRef<HTMLElement>(null);
  const before = useRef(screen);
  useEffect(() => {
    document.title = `${title} · Rowlock`;
    if (before.current !== screen) main.current?.focus({ preventScroll: false });
    before.current = screen;
  }, [screen, title]);
  return main;
}
