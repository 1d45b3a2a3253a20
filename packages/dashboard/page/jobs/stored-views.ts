/** Filters as in an address, by their names. */
export type Views = Readonly<Record<string, string>>;

/** A browser keeps one store for all pages of an origin. */
const NAME = `rowlock views ${location.pathname}`;

/** None where the browser keeps nothing, or something else is kept there. */
export function readViews(): Views {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(NAME) ?? '{}');
    const texts = Object.entries(Object(kept)).filter((entry) => typeof entry[1] === 'string');
    return Object.fromEntries(texts.map(([name, filter]) => [name, String(filter)]));
  } catch {
    return {};
  }
}

export function writeViews(views: Views): void {
  try {
    localStorage.setItem(NAME, JSON.stringify(views));
  } catch {
    // The views are there until the page is left.
  }
}
