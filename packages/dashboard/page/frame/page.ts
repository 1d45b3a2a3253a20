import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Permission } from '../../src/permission.js';
import { isOwnWork, type Work } from '../../src/scope.js';
import type { SessionView } from '../../src/views.js';
import type { Place } from './place.js';
import type { Report } from './use-connection.js';

/** What every part of the page may use. */
export interface PageParts {
  readonly session: SessionView;
  readonly place: Place;
  readonly go: (address: string) => void;
  /** Whether the numbers are renewed by themselves. */
  readonly live: boolean;
  /** Rises when something was changed, so that all is read again. */
  readonly version: number;
  /** Reads all again. */
  readonly look: () => void;
  /** Says what was done, or what went wrong, and has all read again. */
  readonly tell: (text: string, isProblem?: boolean) => void;
  readonly report: Report;
}

export const PageContext = createContext<PageParts | null>(null);

export function usePage(): PageParts {
  const parts = useContext(PageContext);
  if (parts === null) throw new Error('Outside of the page.');
  return parts;
}

/** Whether to offer something. The server checks it again. */
export function useCan(permission: Permission): boolean {
  return usePage().session.can.includes(permission);
}

/** Whether to offer that some work is paused: all of it is the viewer's. */
export function useMayPause(work: Work): boolean {
  const { session } = usePage();
  return session.can.includes('pause') && isOwnWork(session, work);
}
