import { LONGEST_TIMER_MS } from '../clock.js';
import { DriverError } from './driver-error.js';

/**
 * The server's answer, or a `ConnectionLost` when none has come after `ms` milliseconds. A connection whose packets are
 * lost ends by itself only after minutes. An answer that came while this process was busy still counts.
 *
 * @param giveUp Is called with the error when no answer has come: close the connection.
 * @throws DriverError
 */
export function answerWithin<Answer>(
  ms: number,
  answer: Promise<Answer>,
  giveUp: (error: DriverError) => void = () => {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let isOver = false;
    const silence = (): void => {
      if (isOver) return;
      const message = `The connection was lost: the server has not answered for ${ms} ms. It may have done what was sent.`;
      const error = new DriverError('ConnectionLost', message);
      reject(error);
      giveUp(error);
    };
    // Timers run before received data is read: after a pause of this process the answer is to be read first.
    const timer = setTimeout(() => setImmediate(() => setImmediate(silence)), Math.min(ms, LONGEST_TIMER_MS));
    void answer.then(resolve, reject).finally(() => {
      isOver = true;
      clearTimeout(timer);
    });
  });
}
