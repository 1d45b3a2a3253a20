import type { Stored } from '@rowlock/core';
import type { Trend } from '@rowlock/core/types';
import { useEffect, useRef } from 'preact/hooks';
import type UPlot from 'uplot';
import { themeOf } from '../picture/colours.js';
import type { Line } from './lines.js';

const HEIGHT = 220;

interface Props {
  readonly plot: typeof UPlot;
  readonly title: string;
  readonly trend: Stored<Trend>;
  readonly lines: readonly Line[];
}

/** Lines over time. The table below says the same. */
export function Chart({ plot: Plot, title, trend, lines }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(null);
  const data = dataOf(trend, lines);
  const latest = useRef(data);
  latest.current = data;

  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = new Plot(optionsOf(element, lines), latest.current, element);
    };
    draw();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', draw);
    const observer = new ResizeObserver(() =>
      plot.current?.setSize({ width: element.clientWidth, height: HEIGHT }),
    );
    observer.observe(element);
    return () => {
      dark.removeEventListener('change', draw);
      observer.disconnect();
      plot.current?.destroy();
    };
  }, []);

  useEffect(() => plot.current?.setData(data), [trend]);

  return (
    <figure class="chart">
      <figcaption>{title}</figcaption>
      <div ref={place} role="img" aria-label={`${title}. The table below says the same.`} />
    </figure>
  );
}

function dataOf({ points }: Stored<Trend>, lines: readonly Line[]): UPlot.AlignedData {
  return [points.map(({ at }) => Date.parse(at) / 1_000), ...lines.map(({ values }) => [...values])];
}

function optionsOf(element: HTMLElement, lines: readonly Line[]): UPlot.Options {
  const theme = themeOf(element);
  const axis = {
    stroke: theme.soft,
    grid: { stroke: theme.edge, width: 1 },
    ticks: { stroke: theme.edge, width: 1 },
  };
  return {
    width: element.clientWidth,
    height: HEIGHT,
    axes: [axis, axis],
    scales: { y: { range: (_, __, most) => [0, Math.max(1, most * 1.1)] } },
    series: [
      { label: 'Time' },
      ...lines.map(({ title, colour, dashed }) => ({
        label: title,
        stroke: theme[colour],
        width: 1.5,
        points: {
          show: true,
          size: 5,
          filter: (plot: UPlot, place: number) => alone(plot.data[place] ?? []),
        },
        ...(dashed === true && { dash: [5, 4] }),
      })),
    ],
  };
}

/** The places of values that no line leads to: these are drawn as points. */
function alone(values: ArrayLike<number | null | undefined>): number[] {
  return Array.from(values, (_, place) => place).filter(
    (place) => values[place] != null && values[place - 1] == null && values[place + 1] == null,
  );
}
