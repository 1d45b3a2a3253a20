/** What handlers write down of their runs: for each entity, that none begins before the last has ended. */
export class RunLog {
  readonly overlaps: string[] = [];
  readonly #running = new Map<string, string>();

  begin(key: string | null, jobs: readonly { readonly publicId: string }[]): void {
    if (key === null) return;
    const before = this.#running.get(key);
    const ids = jobs.map(({ publicId }) => publicId).join(', ');
    if (before !== undefined) this.overlaps.push(`${key}: ${ids} began while ${before} was running`);
    this.#running.set(key, ids);
  }

  end(key: string | null): void {
    if (key !== null) this.#running.delete(key);
  }
}
