/** Sessions in which a run has said that its kind is not captured. The variable outlives its transaction. */
const muted = new WeakSet<object>();

/** Ends what `SET @rowlock_capture` has said. */
export const UNMUTE = 'SET @rowlock_capture = NULL';

export function noteMuted(client: object): void {
  muted.add(client);
}

/** Whether the session is to be unmuted. Marks it as unmuted. */
export function wasMuted(client: object): boolean {
  return muted.delete(client);
}
