/** Not `randomUUID`, which browsers lack on plain http unless it is localhost. */
export function randomKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}
