import type UPlot from 'uplot';
import type { Theme } from '../picture/colours.js';
import type { Line } from './lines.js';

const FONT = '12px system-ui, sans-serif';

/** Longer times are told by days, in seconds. */
const DAYS_FROM = 2 * 86_400;

/** Lines across alone: a time is read at the axis. */
export function axesOf({ soft, edge }: Theme): UPlot.Axis[] {
  const axis = { stroke: soft, font: FONT, ticks: { show: false } };
  return [
    { ...axis, grid: { show: false }, values: timesOf, space: 64, size: 28 },
    { ...axis, grid: { stroke: edge, width: 1 }, size: 52, space: 36 },
  ];
}

function timesOf(plot: UPlot, times: number[]): string[] {
  const { min = 0, max = 0 } = plot.scales.x ?? {};
  const isLong = (max ?? 0) - (min ?? 0) > DAYS_FROM;
  const format = new Intl.DateTimeFormat(
    undefined,
    isLong ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  );
  return times.map((time) => format.format(time * 1_000));
}

export function seriesOf(lines: readonly Line[], theme: Theme): UPlot.Series[] {
  return [
    { label: 'Time', value: (_, at) => (at === null ? '' : new Date(at * 1_000).toLocaleString()) },
    ...lines.map(({ title, colour, dashed, filled }): UPlot.Series => {
      const stroke = theme[colour];
      return {
        label: title,
        stroke,
        width: 1.5,
        value: (_, value) => (value === null ? '' : String(Math.round(value * 100) / 100)),
        points: { show: true, size: 5, filter: (plot, place) => alone(plot.data[place] ?? []) },
        ...(dashed === true && { dash: [5, 4] }),
        // As the browser computes it: rgb(26, 92, 174).
        ...(filled === true && { fill: stroke.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.12)') }),
      };
    }),
  ];
}

/** The places of values that no line leads to: these are drawn as points. */
function alone(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from(values, (_, place) => place).filter(
    (place) => values[place] != null && values[place - 1] == null && values[place + 1] == null,
  );
}
