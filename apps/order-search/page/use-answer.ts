import { useEffect, useRef, useState } from 'preact/hooks';
import { ask } from './ask.js';

/** `slow`: on its way for so long that people wonder. */
export type Course = 'asked' | 'slow' | 'answered' | 'given up';

export interface Answered<Answer> {
  readonly answer: Answer | undefined;
  readonly problem: string;
  /** Whether the answer is of an earlier question. */
  readonly isOld: boolean;
  readonly course: Course;
  /** Ends a question that has no answer yet. It is asked again when it changes, or by `askAgain`. */
  readonly giveUp: () => void;
  readonly askAgain: () => void;
}

const SLOW_MS = 400;

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
  const [course, setCourse] = useState<Course>('answered');
  const [asked, setAsked] = useState({ version, again: 0 });
  const question = useRef<AbortController | undefined>(undefined);

  // A slow answer would never come if each new version ended its question.
  useEffect(() => {
    if (course === 'answered' && version !== asked.version) setAsked({ ...asked, version });
  }, [version, course, asked]);

  useEffect(() => {
    if (path === undefined) {
      setCourse('answered');
      return setState(undefined);
    }
    const own = new AbortController();
    question.current = own;
    setCourse('asked');
    const slow = setTimeout(() => setCourse('slow'), SLOW_MS);
    const end = (answer: Answer | undefined, problem: string) => {
      if (own.signal.aborted) return;
      clearTimeout(slow);
      setState({ path, answer, problem });
      setCourse('answered');
    };
    ask<Answer>(path, own.signal).then(
      (answer) => end(answer, ''),
      (error: unknown) => end(undefined, error instanceof Error ? error.message : String(error)),
    );
    return () => {
      clearTimeout(slow);
      own.abort();
    };
  }, [path, asked]);

  return {
    answer: state?.answer,
    problem: state?.problem ?? '',
    isOld: state !== undefined && state.path !== path,
    course,
    giveUp: () => {
      question.current?.abort();
      setCourse('given up');
    },
    askAgain: () => setAsked({ version, again: asked.again + 1 }),
  };
}
