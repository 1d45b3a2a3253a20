import { useEffect, useRef, useState } from 'preact/hooks';
import { mayLeave } from './unsaved.js';

/** What is shown: a screen, and what its address says more. */
export interface Place {
  readonly screen: string;
  readonly query: URLSearchParams;
}

/** The address of a screen. All screens have the same path, so the page may be mounted anywhere. */
export function addressOf(
  screen: string,
  query: URLSearchParams | Readonly<Record<string, string>> = {},
): string {
  const all = new URLSearchParams(query);
  all.set('screen', screen);
  return `?${all}`;
}

/** Another place takes what was typed with it. So nobody goes there, or back, before the viewer has given that up. */
export function usePlace(): { readonly place: Place; readonly go: (address: string) => void } {
  const [place, setPlace] = useState(placeOf);
  const shown = useRef(place);
  shown.current = place;

  useEffect(() => {
    const onBack = (): void => {
      const { screen, query } = shown.current;
      if (mayLeave()) setPlace(placeOf());
      else history.pushState(null, '', addressOf(screen, query));
    };
    addEventListener('popstate', onBack);
    return () => removeEventListener('popstate', onBack);
  }, []);

  function go(address: string): void {
    if (!mayLeave()) return;
    history.pushState(null, '', address);
    setPlace(placeOf());
  }

  return { place, go };
}

function placeOf(): Place {
  const query = new URLSearchParams(location.search);
  const screen = query.get('screen') ?? 'overview';
  query.delete('screen');
  return { screen, query };
}
