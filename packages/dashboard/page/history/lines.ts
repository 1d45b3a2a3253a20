import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import type { Theme } from '../picture/colours.js';

/** A line of a chart. */
export interface Line {
  readonly title: string;
  readonly colour: keyof Pick<Theme, 'accent' | 'good' | 'bad' | 'soft'>;
  /** Whether it is dashed, so that it differs without its colour. */
  readonly dashed?: true;
  /** Whether the room below it has its colour too. */
  readonly filled?: true;
  /** Null: a gap. */
  readonly values: readonly (number | null)[];
}

export function settledLines({ points, stepSeconds }: Stored<Trend>): readonly Line[] {
  const aMinute = (jobs: number): number => (jobs * 60) / stepSeconds;
  return [
    {
      title: 'Settled',
      colour: 'accent',
      filled: true,
      values: points.map(({ settled }) => aMinute(settled)),
    },
    { title: 'Failed', colour: 'bad', filled: true, values: points.map(({ failed }) => aMinute(failed)) },
    { title: 'Retried', colour: 'soft', dashed: true, values: points.map(({ retried }) => aMinute(retried)) },
  ];
}

/** How long jobs waited, or took. */
export function timeLines({ points }: Stored<Trend>, of: 'waitedMs' | 'tookMs'): readonly Line[] {
  const seconds = (ms: number | undefined): number | null => (ms === undefined ? null : ms / 1_000);
  return [
    {
      title: 'Half of them within',
      colour: 'accent',
      values: points.map((point) => seconds(point[of]?.p50)),
    },
    {
      title: '95 % of them within',
      colour: 'soft',
      dashed: true,
      values: points.map((point) => seconds(point[of]?.p95)),
    },
  ];
}
