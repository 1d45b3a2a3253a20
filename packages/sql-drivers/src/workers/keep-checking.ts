import { answerWithin } from '@rowlock/core/driver';

/** The pause between an answer and the next check, in milliseconds. */
const PAUSE_MS = 5_000;

/** How long an answer may take, in milliseconds. A loss is noticed after this and the pause, at the latest. */
const ANSWER_MS = 5_000;

/**
 * Checks repeatedly that a session is still what it was. Nothing else notices a connection that is cut silently, for
 * example by a cable, or by a firewall that drops its state.
 *
 * @param check Resolves with whether the session is still what it was. An error or a timeout counts as a no.
 * @param lost Is called at most once, within 10 s of the loss.
 * @returns ends the checks
 */
export function keepChecking(check: () => Promise<boolean>, lost: () => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  const checkLater = (): void => {
    timer = setTimeout(() => void checkNow(), PAUSE_MS);
  };
  const checkNow = async (): Promise<void> => {
    const isThere = await answerWithin(ANSWER_MS, check()).catch(() => false);
    if (isOver) return;
    if (isThere) checkLater();
    else lost();
  };
  checkLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
