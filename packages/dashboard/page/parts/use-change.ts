import { useEffect, useRef, useState } from 'preact/hooks';
import { answerIn, change, RequestFailed } from '../frame/ask.js';
import { usePage } from '../frame/page.js';

/** What to say when a change is made. An error that it throws says why nothing was changed. */
export type Done = string | ((answer: unknown) => string);

/**
 * Makes one change on the server at a time, and shows how it went.
 *
 * @param refused Shows what went wrong. Default: the page does, also for a dialog that is closed by then. A dialog does it
 *   itself, as it covers the page.
 */
export function useChange(refused?: (failure: RequestFailed) => void): {
  readonly isBusy: boolean;
  /** @returns Whether it went well. */
  readonly make: (path: string, body: object, done: Done) => Promise<boolean>;
} {
  const { tell } = usePage();
  const [isBusy, setBusy] = useState(false);
  // The state is behind a second click that comes before the page is drawn.
  const busy = useRef(false);
  const isGone = useRef(false);

  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );

  function mark(is: boolean): void {
    busy.current = is;
    setBusy(is);
  }

  async function make(path: string, body: object, done: Done): Promise<boolean> {
    if (busy.current) return false;
    mark(true);
    try {
      const answer: unknown = await answerIn(await change(path, body));
      tell(typeof done === 'string' ? done : done(answer));
      return true;
    } catch (error) {
      const failure = error instanceof RequestFailed ? error : new RequestFailed(messageOf(error));
      if (refused === undefined || isGone.current) tell(failure.message, true);
      else refused(failure);
      return false;
    } finally {
      mark(false);
    }
  }

  return { isBusy, make };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What a call answers of a job: `cancelled`, `signalled`, `updated`, `running`. */
export function outcomeOf(answer: unknown): string {
  const { outcome } = Object(answer);
  return typeof outcome === 'string' ? outcome : '';
}
