import { counted, number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { Sparkline } from '../parts/sparkline.js';
import type { Numbers } from './sum.js';

interface Props {
  /** The name of what has these numbers. */
  readonly of: string;
  readonly numbers: Numbers;
  /** The jobs that are counted, as in an address. */
  readonly filter: Readonly<Record<string, string>>;
}

/** The numbers of a row. A number of nothing steps back, so that the others are seen. */
export function Cells({ of: what, numbers, filter }: Props) {
  const { due, running, delayed, oldestDueMs, hour, history } = numbers;
  const jobs = (status: string): string => addressOf('jobs', { ...filter, status });
  const done = history.settled.at(-1) ?? 0;
  return (
    <>
      <td data-name="Due" class={numberOf(due.count)}>
        <Link to={jobs('new')}>{counted(due)}</Link>
        <Sparkline of={`Due jobs of ${what}`} values={history.due} />
      </td>
      <td data-name="Oldest" class={numberOf(oldestDueMs ?? 0)}>
        {oldestDueMs === null ? '–' : lasting(oldestDueMs)}
      </td>
      <td data-name="Running" class={numberOf(running)}>
        <Link to={jobs('in-progress')}>{number(running)}</Link>
      </td>
      <td data-name="Delayed" class={numberOf(delayed.count)}>
        {counted(delayed)}
      </td>
      <td data-name="Done / min" class={numberOf(done)}>
        {number(done)}
        <Sparkline of={`Jobs of ${what} done in a minute`} values={history.settled} />
      </td>
      <td data-name="Failed, 1 h" class={`${numberOf(hour.failed)} ${hour.failed > 0 ? 'bad' : ''}`}>
        <Link to={addressOf('errors', filter)}>{number(hour.failed)}</Link>
      </td>
      <td data-name="Retried" class={numberOf(hour.retried)}>
        {number(hour.retried)}
      </td>
      <td data-name="Waits, p95" class={numberOf(hour.waitedMs?.p95 ?? 0)}>
        {hour.waitedMs === null ? '–' : lasting(hour.waitedMs.p95)}
      </td>
      <td data-name="Takes" class={numberOf(hour.tookMs?.p95 ?? 0)}>
        {hour.tookMs === null ? '–' : lasting(hour.tookMs.p95)}
      </td>
    </>
  );
}

function numberOf(value: number): string {
  return value === 0 ? 'number nought' : 'number';
}
