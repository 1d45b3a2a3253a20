import type { Fault } from '../fault.js';

/** One write in ten to Rowlock's tables fails as it does when the disk is full: Postgres 53100, MySQL 1114. */
export const fullDisk: Fault = {
  name: 'full disk',
  needs: ['disk'],
  at: 'server',
  seconds: 15,
  async begin(stage) {
    const set = (share: number) =>
      stage.plainly(({ ask }) => ask('UPDATE chaos_disk SET share = ?', [share]));
    await set(0.1);
    return async () => {
      await set(0);
    };
  },
};
