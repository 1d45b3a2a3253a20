import { number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { JobLink } from '../parts/job-link.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import type { WorkerMoment } from './moment.js';
import { startOf } from './span.js';

/** How many jobs of a worker are named. */
const NAMED = 20;

interface Props {
  readonly moment: readonly WorkerMoment[];
  readonly at: number;
}

/** Who had what at a moment, and how the runs before it ended. */
export function MomentTable({ moment, at }: Props) {
  return (
    <Table title="Workers at this time" head={['Worker', 'Has', 'Ended until then']} isStacked>
      <tbody>
        {moment.map(({ worker, running, ended }) => (
          <tr key={worker}>
            <th scope="row">{worker}</th>
            <td data-name="Has" class={running.length === 0 ? 'nought' : 'long wide'}>
              {running.length === 0 && '–'}
              <ul class="list">
                {running.slice(0, NAMED).map((run) => (
                  <li key={`${run.runId} ${run.publicId}`}>
                    <JobLink id={run.publicId} />
                    <span>
                      {run.kind}
                      {run.key !== null && `, key ${run.key}`}, for {lasting(at - startOf(run))}
                    </span>
                    {run.outcome !== 'running' && <span class="hint">then {run.outcome}</span>}
                  </li>
                ))}
                {running.length > NAMED && <li>and {number(running.length - NAMED)} more</li>}
              </ul>
            </td>
            <td data-name="Ended until then" class={ended.size === 0 ? 'nought' : 'wide'}>
              {ended.size === 0 && '–'}
              {[...ended].map(([outcome, runs]) => (
                <div key={outcome}>
                  {number(runs)} <State of={outcome} />
                </div>
              ))}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
