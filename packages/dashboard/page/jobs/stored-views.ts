/** Filters as in an address, by their names. */
export type Views = Readonly<Record<string, string>>;

/** A browser keeps one store for all pages of an origin. */
const NAME = `rowlock views ${location.pathname}`;

/** Undefined where the browser keeps none. */
export function readViews(): Views | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? 'null');
    if (kept === null) return undefined;
    const texts = Object.entries(Object(kept)).filter((entry) => typeof entry[1] === 'string');
    return Object.fromEntries(texts.map(([name, filter]) => [name, String(filter)]));
  } catch {
    return undefined;
  }
}

export function writeViews(views: Views): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(views));
  } catch {
    // The views are there until the page is left.
  }
}

/** Calls back for each change by another tab. Returns how to end it. */
export function watchViews(changed: () => void): () => void {
  const look = ({ key }: StorageEvent): void => {
    if (key === NAME) changed();
  };
  addEventListener('storage', look);
  return () => removeEventListener('storage', look);
}
