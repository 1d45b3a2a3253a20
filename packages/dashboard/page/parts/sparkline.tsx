import { number } from '../format/numbers.js';

const WIDTH = 72;
const HEIGHT = 20;

interface Props {
  /** What the values are, for the sentence that says the same as the drawing. */
  readonly of: string;
  readonly values: readonly number[];
  /** Whether it is of what should not be. */
  readonly isBad?: boolean;
}

/** How a number has moved. One that was always 0 is hardly seen. */
export function Sparkline({ of: what, values, isBad = false }: Props) {
  const highest = Math.max(0, ...values);
  const most = Math.max(1, highest);
  const points = values.map((value, place) => {
    const x = values.length === 1 ? WIDTH : (place / (values.length - 1)) * WIDTH;
    return `${x.toFixed(1)},${(HEIGHT - 1 - (value / most) * (HEIGHT - 2)).toFixed(1)}`;
  });
  const [first = 0] = values;
  const said = `${what}: from ${number(first)} to ${number(values.at(-1) ?? 0)}, at most ${number(highest)}`;
  return (
    <svg
      class={`sparkline ${highest === 0 ? 'flat' : isBad ? 'bad' : ''}`}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
      aria-label={said}
    >
      <title>{said}</title>
      <polyline points={points.join(' ')} />
    </svg>
  );
}
