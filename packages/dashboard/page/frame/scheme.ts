import { useEffect, useState } from 'preact/hooks';

/** The colours that a viewer has chosen. Empty: those of the system. */
export type Scheme = '' | 'light' | 'dark';

/** Where this browser keeps the choice. `public/scheme.js` reads it before the first paint. */
const NAME = 'rowlock.scheme';

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');
const changes = new EventTarget();
system.addEventListener('change', () => changes.dispatchEvent(new Event('change')));

export function chosenScheme(): Scheme {
  const { scheme } = root.dataset;
  return scheme === 'light' || scheme === 'dark' ? scheme : '';
}

export function chooseScheme(scheme: Scheme): void {
  if (scheme === '') delete root.dataset.scheme;
  else root.dataset.scheme = scheme;
  try {
    localStorage.setItem(NAME, scheme);
  } catch {
    // It lasts as long as the page then.
  }
  changes.dispatchEvent(new Event('change'));
}

/** Whether the page is dark now, by choice or by the system. */
export function useIsDark(): boolean {
  const [isDark, setDark] = useState(isDarkNow);
  useEffect(() => {
    const look = (): void => setDark(isDarkNow());
    changes.addEventListener('change', look);
    return () => changes.removeEventListener('change', look);
  }, []);
  return isDark;
}

function isDarkNow(): boolean {
  const chosen = chosenScheme();
  return chosen === '' ? system.matches : chosen === 'dark';
}
