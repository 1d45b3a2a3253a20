/** What a handler's author has put into a job. Kinds, keys and the messages of errors are needed to say why. */
const OWN: ReadonlySet<string> = new Set(['payload', 'output', 'progress', 'metadata']);

/** The value with a mark in place of the members that hold an application's own data, however deep. What is null stays so. */
export function withoutOwnData(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, each) => (OWN.has(name) && each !== null ? '(hidden)' : each)) ?? 'null',
  );
}
