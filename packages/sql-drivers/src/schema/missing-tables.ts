/** The tables of which no column is there. @param expected Objects by kind and name, as `column job.id`. */
export function missingTables(expected: readonly string[], found: readonly string[]): readonly string[] {
  const there = tablesIn(found);
  return [...tablesIn(expected)].filter((table) => !there.has(table));
}

function tablesIn(objects: readonly string[]): ReadonlySet<string> {
  return new Set(objects.flatMap((object) => /^column (\w+)\./.exec(object)?.[1] ?? []));
}
