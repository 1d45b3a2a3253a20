import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { number } from '../format/numbers.js';
import { useAnswer } from '../frame/use-answer.js';
import { Notice } from '../parts/notice.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

const HEAD = ['Worker', 'State', 'Host', 'Process', 'Started', 'Running', 'Queues', 'Kinds'];

/** The workers that are alive, and those that have ended within the last hour. */
export function Workers() {
  const { answer, problem } = useAnswer<Stored<OverviewView>>('overview');
  return (
    <>
      <h1>Workers</h1>
      <Notice text={problem} />
      {answer?.workers.length === 0 && <p class="hint">No worker has run within the last hour.</p>}
      {answer !== undefined && answer.workers.length > 0 && (
        <Table title="Workers" head={HEAD}>
          <tbody>
            {answer.workers.map(({ id, name, alive, host, pid, startedAt, running, queues, kinds }) => (
              <tr key={id}>
                <th scope="row">{name}</th>
                <td>
                  <State of={alive ? 'alive' : 'gone'} />
                </td>
                <td>{host}</td>
                <td class="number">{pid}</td>
                <td>
                  <Time at={startedAt} />
                </td>
                <td class="long">
                  {alive && running.map(({ kind, jobs }) => `${number(jobs)} ${kind}`).join(', ')}
                </td>
                <td class="long">{queues.join(', ')}</td>
                <td class="long">{Object.keys(kinds).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}
