import { DriverError } from '@rowlock/core';

/**
 * Waits for what the server should answer soon. When its other end has vanished, a connection tells nothing, and the
 * operating system would wait a quarter of an hour for an answer to what was sent on it.
 *
 * @param giveUp Is called when nothing has come within `ms`: the connection is to be given up.
 * @throws DriverError `ConnectionLost` then
 */
export async function answered<Answer>(
  answer: Promise<Answer>,
  ms: number,
  giveUp: (error: DriverError) => void,
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    // In two halves: after a process was frozen, the first ends late, and the answer that came meanwhile is read then.
    timer = setTimeout(() => {
      timer = setTimeout(() => {
        const error = new DriverError('ConnectionLost', `The server has not answered for ${ms} ms.`);
        reject(error);
        giveUp(error);
      }, ms / 2);
    }, ms / 2);
  });
  try {
    return await Promise.race([answer, silence]);
  } finally {
    clearTimeout(timer);
  }
}
