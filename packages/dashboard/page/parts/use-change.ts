import { useState } from 'preact/hooks';
import { change, RequestFailed, type Trouble } from '../frame/ask.js';
import { usePage } from '../frame/page.js';

/**
 * Makes a change on the server, and shows how it went.
 *
 * @param refused Shows what went wrong. Default: the page does. A dialog does it itself, as it covers the page.
 */
export function useChange(refused?: (problem: string, trouble: Trouble) => void): {
  readonly isBusy: boolean;
  /** @returns Whether it went well. */
  readonly make: (
    path: string,
    body: object,
    done: string | ((answer: unknown) => string),
  ) => Promise<boolean>;
} {
  const { tell } = usePage();
  const [isBusy, setBusy] = useState(false);

  async function make(
    path: string,
    body: object,
    done: string | ((answer: unknown) => string),
  ): Promise<boolean> {
    setBusy(true);
    try {
      const answer: unknown = await (await change(path, body)).json();
      tell(typeof done === 'string' ? done : done(answer));
      return true;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      if (refused === undefined) tell(problem, true);
      else refused(problem, error instanceof RequestFailed ? error.trouble : 'refused');
      return false;
    } finally {
      setBusy(false);
    }
  }

  return { isBusy, make };
}

/** What a call answers of a job: `cancelled`, `signalled`, `updated`, `running`. */
export function outcomeOf(answer: unknown): string {
  const { outcome } = Object(answer);
  return typeof outcome === 'string' ? outcome : '';
}
