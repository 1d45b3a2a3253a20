import { useRef, useState } from 'preact/hooks';
import type { Trouble } from './ask.js';

/** `slow`: an answer is on its way for longer than most. */
export type Sign = 'slow' | Trouble;

/** What is wrong with an answer that the page shows. */
export interface Faulty {
  readonly sign: Sign;
  readonly text: string;
}

/** How the page hears from the server. */
export interface Connection {
  /** The worst of what is wrong. Undefined: all is as it should be. */
  readonly fault: Faulty | undefined;
  /** When the oldest of the answers that are shown nevertheless came. Undefined: there is none. */
  readonly since: Date | undefined;
}

/** Takes down what became of a request for an answer. Null: it came. Undefined: nobody waits for it any more. */
export type Report = (path: string, fault: Faulty | null | undefined) => void;

const WORST_FIRST: readonly Sign[] = ['signed-out', 'away', 'refused', 'slow'];

/** Collects what became of the requests for the answers on the page. */
export function useConnection(): { readonly connection: Connection; readonly report: Report } {
  const [faults, setFaults] = useState<ReadonlyMap<string, Faulty>>(new Map());
  const cameAt = useRef(new Map<string, Date>());

  function report(path: string, fault: Faulty | null | undefined): void {
    if (fault === null) cameAt.current.set(path, new Date());
    if (fault === undefined) cameAt.current.delete(path);
    setFaults((before) => {
      const known = before.get(path);
      if (known?.sign === fault?.sign && known?.text === fault?.text) return before;
      const after = new Map(before);
      after.delete(path);
      if (fault) after.set(path, fault);
      return after;
    });
  }

  const worst = WORST_FIRST.flatMap((sign) => [...faults.values()].filter((fault) => fault.sign === sign));
  const times = [...faults.keys()].flatMap((path) => cameAt.current.get(path)?.getTime() ?? []);
  const since = times.length === 0 ? undefined : new Date(Math.min(...times));
  return { connection: { fault: worst[0], since }, report };
}
