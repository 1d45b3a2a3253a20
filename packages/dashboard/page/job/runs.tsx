import type { JobError, Stored } from '@rowlock/core';
import type { RunView } from '@rowlock/core/types';
import { Stack } from '../parts/lines.js';
import { LongText } from '../parts/long-text.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { Took } from '../parts/took.js';

type Run = Stored<RunView>;

interface Props {
  readonly runs: readonly Run[];
  /** When the runs were read. */
  readonly at: string;
}

const HEAD = ['Run', 'When', 'Outcome', 'Took', 'Started', 'Worker', 'Error'];

/** The runs in the order of their starts. The bars are on one line of time. */
export function Runs({ runs, at }: Props) {
  if (runs.length === 0) return null;
  const start = Math.min(...runs.map(({ startedAt }) => Date.parse(startedAt)));
  const end = Math.max(...runs.map((run) => endOf(run, at)));
  const share = (time: number): number => ((time - start) / Math.max(1, end - start)) * 100;
  return (
    <section class="panel" aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <Table title="Runs by their starts" head={HEAD} isStacked>
        <tbody>
          {runs.map((run, place) => {
            const [from, to] = [share(Date.parse(run.startedAt)), share(endOf(run, at))];
            return (
              <tr key={run.runId}>
                <th scope="row" title={run.runId}>
                  {place + 1}
                </th>
                <td data-name="When" class="wide">
                  <svg
                    class={`bar ${run.outcome}`}
                    viewBox="0 0 100 10"
                    preserveAspectRatio="none"
                    aria-hidden="true"
                  >
                    <rect x={Math.min(from, 98)} y="2" width={Math.max(2, to - from)} height="6" />
                  </svg>
                </td>
                <td data-name="Outcome">
                  <State of={run.outcome} />
                </td>
                <Took run={run} />
                <td data-name="Started">
                  <Time at={run.startedAt} />
                </td>
                <td data-name="Worker" class="double">
                  {run.worker ?? run.host ?? '–'}
                </td>
                <td class="long wide">{run.error && <RunError error={run.error} />}</td>
              </tr>
            );
          })}
        </tbody>
      </Table>
    </section>
  );
}

/** How much of an error's text is the name of what unfolds, in characters. */
const NAME = 200;

/** Where it was thrown unfolds. */
function RunError({ error: { code, message, stack } }: { readonly error: JobError }) {
  const text = `${code}: ${message}`;
  if (stack === undefined) return <LongText text={text} />;
  const isLong = text.length > NAME;
  return (
    <details>
      <summary>{isLong ? `${text.slice(0, NAME)}…` : text}</summary>
      {isLong && <p>{text}</p>}
      <Stack text={stack} />
    </details>
  );
}

/** A crash without a known end is drawn as a point. */
function endOf({ finishedAt, startedAt, outcome }: Run, at: string): number {
  return Date.parse(finishedAt ?? (outcome === 'running' ? at : startedAt));
}
