import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import type { Theme } from '../picture/colours.js';

/** A line of a chart. */
export interface Line {
  readonly title: string;
  readonly colour: keyof Pick<Theme, 'accent' | 'bad' | 'soft'>;
  /** Whether it is dashed, so that it differs without its colour. */
  readonly dashed?: true;
  /** Null: a gap. */
  readonly values: readonly (number | null)[];
}

export function settledLines({ points, stepSeconds }: Stored<Trend>): readonly Line[] {
  const aMinute = (jobs: number): number => (jobs * 60) / stepSeconds;
  return [
    { title: 'Settled', colour: 'accent', values: points.map(({ settled }) => aMinute(settled)) },
    { title: 'Failed', colour: 'bad', values: points.map(({ failed }) => aMinute(failed)) },
    { title: 'Retried', colour: 'soft', dashed: true, values: points.map(({ retried }) => aMinute(retried)) },
  ];
}

export function waitedLines({ points }: Stored<Trend>): readonly Line[] {
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1_000);
  return [
    {
      title: 'Half of them within',
      colour: 'accent',
      values: points.map(({ waitedMs }) => seconds(waitedMs?.p50)),
    },
    {
      title: '95 % of them within',
      colour: 'soft',
      dashed: true,
      values: points.map(({ waitedMs }) => seconds(waitedMs?.p95)),
    },
  ];
}
