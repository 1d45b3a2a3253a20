import { useEffect, useState } from 'preact/hooks';
import { ask, RequestFailed } from './ask.js';
import { usePage } from './page.js';
import { UNSAVED } from './unsaved.js';

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  /** Why the last request was refused. The answer before it stays. What concerns the whole page is said by its frame. */
  readonly problem: string;
  /** Whether the answer is of an earlier path. */
  readonly isOld: boolean;
}

interface State<Answer> {
  readonly path: string;
  readonly answer: Answer | undefined;
  readonly problem: string;
}

/** How often the page looks, and looks again after a failure, in milliseconds. */
const LOOK_MS = 3_000;

/** After so long an answer counts as slow, in milliseconds. */
const SLOW_MS = 2_000;

/** While one of these is there no answer takes the place of another: what they stand on may go away, and what is typed into them. */
const HELD = `dialog[open], ${UNSAVED}`;

/** While one of these is there nothing is read by itself, either. */
const STANDS_STILL = `${HELD}, [data-still]`;

/**
 * The server's answer to a path: again each `everyMs`, unless the page is hidden, covered or not live, and after each change.
 *
 * @param everyMs 0: only once, and again after a failure.
 */
export function useAnswer<Answer>(path: string, everyMs = LOOK_MS): Answered<Answer> {
  const { live, version, report } = usePage();
  const [state, setState] = useState<State<Answer>>({ path, answer: undefined, problem: '' });

  useEffect(() => {
    const ended = new AbortController();
    let hasAnswer = state.answer !== undefined && state.path === path;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function look(): Promise<void> {
      const slow = setTimeout(() => report(path, { sign: 'slow', text: '' }), SLOW_MS);
      const found = await ask<Answer>(path, ended.signal).catch((error: unknown) => failureOf(error));
      clearTimeout(slow);
      if (ended.signal.aborted) return;
      if (found instanceof RequestFailed) {
        const { trouble: sign, message: text } = found;
        report(path, { sign, text });
        setState((before) => ({ ...before, problem: sign === 'refused' ? text : '' }));
        wait(everyMs === 0 ? LOOK_MS : Math.min(everyMs, LOOK_MS));
      } else {
        report(path, null);
        if (isThere(HELD)) return later();
        hasAnswer = true;
        setState({ path, answer: found, problem: '' });
        wait(everyMs);
      }
    }

    /** Who has no answer yet may stand in a dialog, and gets the first one. */
    function isThere(what: string): boolean {
      return hasAnswer && document.querySelector(what) !== null;
    }

    function later(): void {
      timer = setTimeout(next, LOOK_MS);
    }

    function wait(ms: number): void {
      if (live && ms > 0) timer = setTimeout(again, ms);
    }

    function again(): void {
      if (isThere(STANDS_STILL)) wait(everyMs || LOOK_MS);
      else next();
    }

    function next(): void {
      if (isThere(HELD)) later();
      else if (!document.hidden) void look();
      else document.addEventListener('visibilitychange', next, { once: true, signal: ended.signal });
    }

    next();
    return () => {
      ended.abort();
      clearTimeout(timer);
    };
  }, [path, everyMs, live, version]);

  useEffect(() => () => report(path, undefined), [path]);

  return { answer: state.answer, problem: state.problem, isOld: state.path !== path };
}

function failureOf(error: unknown): RequestFailed {
  return error instanceof RequestFailed ? error : new RequestFailed(String(error));
}
