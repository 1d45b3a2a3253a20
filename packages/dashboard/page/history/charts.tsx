import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import type { EventView } from '../../src/views.js';
import { Chart } from './chart.js';
import { type Line, settledLines, timeLines } from './lines.js';
import { useUplot } from './use-uplot.js';
import type { Zoom } from './zoom.js';

interface Props {
  readonly trend: Stored<Trend>;
  readonly events: readonly Stored<EventView>[];
  readonly zoom: Zoom | undefined;
  readonly onZoom: (zoom: Zoom) => void;
}

/** The charts of a time, below each other, so that a moment is at the same place in all of them. */
export function Charts({ trend, events, zoom, onZoom }: Props) {
  const { plot, problem } = useUplot();
  if (problem !== undefined) return <p class="hint">No charts can be drawn here: {problem}</p>;
  if (plot === undefined) return null;
  const marks = events.map(({ at }) => Date.parse(at) / 1_000);
  const charts: readonly (readonly [title: string, lines: readonly Line[]])[] = [
    ['Jobs in a minute', settledLines(trend)],
    ['Seconds from due to claimed', timeLines(trend, 'waitedMs')],
    ['Seconds that runs took', timeLines(trend, 'tookMs')],
  ];
  return (
    <>
      {charts.map(([title, lines]) => (
        <section class="panel" aria-label={title} key={title}>
          <Chart
            plot={plot}
            title={title}
            trend={trend}
            lines={lines}
            marks={marks}
            zoom={zoom}
            onZoom={onZoom}
          />
        </section>
      ))}
    </>
  );
}
