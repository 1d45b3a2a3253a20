/** A piece of a statement, and the values for its placeholders, in order. */
export interface Fragment {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** A piece of SQL from other pieces and from values. Each value becomes a placeholder, and is sent as text. */
export function sql(
  texts: TemplateStringsArray,
  ...given: readonly (Fragment | string | number)[]
): Fragment {
  const parts = given.map((each) => (isFragment(each) ? each : { text: '?', values: [String(each)] }));
  return {
    text: texts.map((text, place) => text + (parts[place]?.text ?? '')).join(''),
    values: parts.flatMap(({ values }) => values),
  };
}

/** Text of a statement without values. */
export function raw(text: string): Fragment {
  return { text, values: [] };
}

/** Pieces in a row. */
export function joined(parts: readonly Fragment[], separator = ', '): Fragment {
  return {
    text: parts.map(({ text }) => text).join(separator),
    values: parts.flatMap(({ values }) => values),
  };
}

function isFragment(given: Fragment | string | number): given is Fragment {
  return typeof given === 'object';
}
