import { answerWithin } from './answer-within.js';

/** The pause between an answer and the next question, in milliseconds. */
const PAUSE_MS = 5_000;

/** How long an answer may take, in milliseconds. With the pause: so late may a loss be noticed. */
const ANSWER_MS = 5_000;

/**
 * Asks a session now and then whether it is still what it was. A connection that is cut without a word (a cable, a firewall
 * that forgets) is noticed by nothing else.
 *
 * @param ask Resolves with whether it is. Silence and errors say that it is not.
 * @param lost Is called at most once, within 10 s of the loss.
 * @returns What ends the asking.
 */
export function keepAsking(ask: () => Promise<boolean>, lost: () => void): () => void {
  let isOver = false;
  let timer: NodeJS.Timeout;
  const askLater = (): void => {
    timer = setTimeout(() => void askNow(), PAUSE_MS);
  };
  const askNow = async (): Promise<void> => {
    const isThere = await answerWithin(ANSWER_MS, ask()).catch(() => false);
    if (isOver) return;
    if (isThere) askLater();
    else lost();
  };
  askLater();
  return () => {
    isOver = true;
    clearTimeout(timer);
  };
}
