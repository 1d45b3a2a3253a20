import type { Stored } from '@rowlock/core';
import type { PictureView } from '../../src/views.js';
import { fromNow, lasting } from '../format/times.js';

type View = Stored<PictureView>;
export type Cell = View['jobs'][number];

/** What a job does or waits for. */
export function doingOf({ runs }: Pick<View, 'runs'>, { state, run, waitsFor, dueAt }: Cell): string {
  const holder = run === undefined ? undefined : runs[run];
  switch (state) {
    case 'running':
      return `runs on ${holder?.worker ?? 'a worker that is gone'}${holder?.since ? ` for ${lasting(Date.now() - Date.parse(holder.since))}` : ''}`;
    case 'due':
      return 'is free to be claimed';
    case 'delayed':
      return dueAt === undefined ? 'is not due' : `is due ${fromNow(dueAt)}`;
    case 'paused':
      return 'is paused';
    case 'unserved':
      return 'is served by no live worker';
    case 'follows':
      return `waits for job …${waitsFor?.slice(-8)}`;
    case 'key':
    case 'earlier':
    case 'after':
      return `waits for job …${waitsFor?.slice(-8)} of its key`;
    case 'limit':
      return `waits for a slot of the limit ${waitsFor}`;
    case 'starts':
      return `waits for a start of the limit ${waitsFor}`;
  }
}

export function sentenceOf(view: View, cell: Cell): string {
  const { id, kind, key } = cell;
  return `…${id.slice(-8)}, ${kind}${key === null ? '' : `, key ${key}`}: ${doingOf(view, cell)}`;
}
