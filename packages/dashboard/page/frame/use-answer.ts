import { useEffect, useState } from 'preact/hooks';
import { ask } from './ask.js';
import { usePage } from './page.js';

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  /** What went wrong the last time. The answer before it stays. */
  readonly problem: string;
  /** Whether the answer is of an earlier path. */
  readonly isOld: boolean;
}

interface State<Answer> {
  readonly path: string;
  readonly answer: Answer | undefined;
  readonly problem: string;
}

/** How often the page looks, in milliseconds. */
const LOOK_MS = 3_000;

/**
 * The server's answer to a path: again each `everyMs`, unless the page is hidden, covered or not live, and after each change.
 *
 * @param everyMs 0: only once.
 */
export function useAnswer<Answer>(path: string, everyMs = LOOK_MS): Answered<Answer> {
  const { live, version } = usePage();
  const [state, setState] = useState<State<Answer>>({ path, answer: undefined, problem: '' });

  useEffect(() => {
    const ended = new AbortController();
    const repeats = live && everyMs > 0;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function look(): Promise<void> {
      try {
        const answer = await ask<Answer>(path, ended.signal);
        setState({ path, answer, problem: '' });
      } catch (error) {
        if (ended.signal.aborted) return;
        const problem = error instanceof Error ? error.message : String(error);
        setState((before) => ({ ...before, problem }));
      }
      if (repeats && !ended.signal.aborted) timer = setTimeout(again, everyMs);
    }

    /** Not below a dialog: what it stands on may go away with the answer, and what is typed into it. */
    function again(): void {
      if (document.querySelector('dialog[open]') === null) next();
      else timer = setTimeout(again, everyMs);
    }

    function next(): void {
      if (!document.hidden) return void look();
      document.addEventListener('visibilitychange', next, { once: true, signal: ended.signal });
    }

    next();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs, live, version]);

  return { answer: state.answer, problem: state.problem, isOld: state.path !== path };
}
