import type { Stored } from '@rowlock/core';
import type { LimitsView } from '../../src/views.js';
import { number } from '../format/numbers.js';
import { lasting } from '../format/times.js';
import { useCan } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Act } from '../parts/act.js';
import { Notice } from '../parts/notice.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { SetLimit } from './set-limit.js';
import { SetRate } from './set-rate.js';

const ACTIONS = <span class="unseen">Actions</span>;

/** The sizes of limits and the numbers of rates that were set at run time. */
export function Limits() {
  const { answer, problem } = useAnswer<Stored<LimitsView>>('limits');
  const can = useCan('limits');
  return (
    <>
      <h1>Limits and rates</h1>
      <p class="hint">Those that were set here count for all. The others are as the handlers say.</p>
      <Notice text={problem} />
      {answer !== undefined && answer.limits.length > 0 && (
        <Table title="Limits" head={['Limit', 'At once', 'Set', 'By', ACTIONS]}>
          <tbody>
            {answer.limits.map(({ name, max, setAt, setBy }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">{number(max)}</td>
                <td>
                  <Time at={setAt} />
                </td>
                <td>{setBy}</td>
                <td>
                  <Act
                    permission="limits"
                    path="limits/reset"
                    body={{ name }}
                    done={`The limit ${name} is as the handlers say again.`}
                    label={`Reset the limit ${name}`}
                  >
                    Reset
                  </Act>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {answer !== undefined && answer.rates.length > 0 && (
        <Table title="Rates" head={['Rate', 'Starts', 'At once', 'Set', 'By', ACTIONS]}>
          <tbody>
            {answer.rates.map(({ name, limit, perMs, burst, setAt, setBy }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td class="number">
                  {number(limit)} in {lasting(perMs)}
                </td>
                <td class="number">{number(burst)}</td>
                <td>
                  <Time at={setAt} />
                </td>
                <td>{setBy}</td>
                <td>
                  <Act
                    permission="limits"
                    path="rates/reset"
                    body={{ name }}
                    done={`The rate ${name} is as the handlers say again.`}
                    label={`Reset the rate ${name}`}
                  >
                    Reset
                  </Act>
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
      {can && (
        <div class="columns">
          <SetLimit />
          <SetRate />
        </div>
      )}
    </>
  );
}
