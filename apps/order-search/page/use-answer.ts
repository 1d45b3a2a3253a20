import { useEffect, useState } from 'preact/hooks';
import { ask } from './ask.js';

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  readonly problem: string;
  /** Whether the answer is of an earlier question. */
  readonly isOld: boolean;
}

/**
 * The front end's answer to a path, again after each change of it or of `version`. A new question ends the one before; its answer stays
 * until the new one is there. Undefined: nothing is asked.
 */
export function useAnswer<Answer>(path: string | undefined, version = 0): Answered<Answer> {
  const [state, setState] = useState<{
    path: string | undefined;
    answer: Answer | undefined;
    problem: string;
  }>();

  useEffect(() => {
    if (path === undefined) return setState(undefined);
    const asked = new AbortController();
    ask<Answer>(path, asked.signal).then(
      (answer) => setState({ path, answer, problem: '' }),
      (error: unknown) => {
        if (asked.signal.aborted) return;
        setState({
          path,
          answer: undefined,
          problem: error instanceof Error ? error.message : String(error),
        });
      },
    );
    return () => asked.abort();
  }, [path, version]);

  return {
    answer: state?.answer,
    problem: state?.problem ?? '',
    isOld: state !== undefined && state.path !== path,
  };
}
