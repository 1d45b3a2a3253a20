import { LONGEST_TIMER_MS } from '../clock.js';
import { DriverError } from './driver-error.js';

/**
 * What the server answers, or a `ConnectionLost` when it is silent for `ms` milliseconds: a connection whose packets are
 * swallowed ends by itself only after minutes. An answer that has come while this process was busy is still taken.
 *
 * @param giveUp Is called with the error when it is silent: the connection is to be given up.
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
      const message = `The connection was lost: the server has not answered for ${ms} ms.`;
      const error = new DriverError('ConnectionLost', message);
      reject(error);
      giveUp(error);
    };
    // Timers come before what was received: after a pause of this process the answer is to be read first.
    const timer = setTimeout(() => setImmediate(() => setImmediate(silence)), Math.min(ms, LONGEST_TIMER_MS));
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
    };
    answer.then(
      (value) => {
        end();
        resolve(value);
      },
      (error) => {
        end();
        reject(error);
      },
    );
  });
}
