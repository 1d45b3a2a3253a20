/** A table for what a handler writes. It is gone after the test. */
export async function scratchTable(
  reader: { exec(sql: string): Promise<unknown> },
  queue: string,
  defer: (undo: () => Promise<unknown>) => void,
): Promise<string> {
  const table = `scratch_${queue.replaceAll('-', '_')}`;
  await reader.exec(`CREATE TABLE ${table} (note VARCHAR(100))`);
  defer(() => reader.exec(`DROP TABLE ${table}`));
  return table;
}
