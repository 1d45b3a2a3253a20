import { useEffect, useRef, useState } from 'preact/hooks';
import type { SessionView } from '../../src/views.js';
import { Notice } from '../parts/notice.js';
import { ask } from './ask.js';
import { Header } from './header.js';
import { PageContext } from './page.js';
import { usePlace } from './place.js';
import { SCREENS } from './screens.js';

interface Told {
  readonly text: string;
  readonly isProblem: boolean;
}

const NOTHING: Told = { text: '', isProblem: false };

/** The frame: who looks, the menu, one screen, and what was done last. */
export function App() {
  const [session, setSession] = useState<SessionView>();
  const [live, setLive] = useState(true);
  const [version, setVersion] = useState(0);
  const [told, setTold] = useState(NOTHING);
  const { place, go } = usePlace();

  useEffect(() => {
    void arrive();
  }, []);

  function arrive(): Promise<void> {
    return ask<SessionView>('session').then(
      (found) => {
        setSession(found);
        setTold(NOTHING);
      },
      (error: Error) => setTold({ text: error.message, isProblem: true }),
    );
  }

  const screen = SCREENS[place.screen];
  const main = useFocusOnArrival(place.screen, screen?.title ?? 'Not here');

  if (session === undefined)
    return (
      <main class="screen">
        <h1>Rowlock</h1>
        <Notice text={told.text} />
        {told.isProblem && (
          <p>
            <button type="button" onClick={() => void arrive()}>
              Try again
            </button>
          </p>
        )}
      </main>
    );

  function tell(text: string, isProblem = false): void {
    setTold({ text, isProblem });
    setVersion((before) => before + 1);
  }

  function leave(address: string): void {
    setTold(NOTHING);
    go(address);
  }

  return (
    <PageContext.Provider value={{ session, place, go: leave, live, version, tell }}>
      <Header live={live} onLive={setLive} />
      <main class="screen" ref={main} tabIndex={-1}>
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
