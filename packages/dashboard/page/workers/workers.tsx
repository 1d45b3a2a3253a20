import type { Stored } from '@rowlock/core';
import type { OverviewView } from '../../src/views.js';
import { megabytes, number } from '../format/numbers.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { Empty } from '../parts/empty.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { State } from '../parts/state.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

type Worker = Stored<OverviewView>['workers'][number];

const HEAD = ['Worker', 'State', 'Version', 'Slots in use', { number: 'Memory' }, 'Queues', 'Kinds'];

/** How many queues, or kinds, are named at first. */
const SHOWN = 3;

/** The workers that are alive, and those that have ended within the last hour. */
export function Workers() {
  const { answer, problem } = useAnswer<Stored<OverviewView>>('overview');
  const workers = (answer?.workers ?? []).toSorted((one, other) => Number(other.alive) - Number(one.alive));
  return (
    <>
      <header class="title">
        <h1>Workers</h1>
        {workers.length > 0 && (
          <span class="hint">{number(workers.filter(({ alive }) => alive).length)} alive</span>
        )}
      </header>
      <Notice text={problem} />
      {answer?.workers.length === 0 && (
        <Empty title="No worker has run within the last hour.">
          <p>
            One stands here as soon as a program starts it: <code>await rowlock.worker().start()</code>
          </p>
        </Empty>
      )}
      {workers.length > 0 && (
        <Table title="Workers" head={HEAD} isStacked>
          <tbody>
            {workers.map((worker) => (
              <WorkerRow worker={worker} key={worker.id} />
            ))}
          </tbody>
        </Table>
      )}
    </>
  );
}

function WorkerRow({
  worker: { name, alive, host, pid, version, concurrency, memory, startedAt, running, queues, kinds },
}: {
  readonly worker: Worker;
}) {
  const jobs = alive ? running : [];
  const of = alive ? concurrency : null;
  return (
    <tr class={alive ? '' : 'over'}>
      <th scope="row">
        <Link to={addressOf('runs', { worker: name })}>{name}</Link>
        <div class="hint">
          {host}, process {pid}
        </div>
      </th>
      <td data-name="State">
        <State of={alive ? 'alive' : 'gone'} />
        <div class="hint">
          started <Time at={startedAt} />
        </div>
      </td>
      <td data-name="Version" class={version === null ? 'nought' : 'narrow'}>
        {version ?? '–'}
      </td>
      <td data-name="Slots in use" class={of === null ? 'nought' : 'narrow double'}>
        {of !== null ? (
          <Slots name={name} inUse={jobs.reduce((sum, { slots = 0 }) => sum + slots, 0)} of={of} />
        ) : (
          '–'
        )}
        {jobs.map(({ queue, kind, jobs: count }) => (
          <div key={`${queue} ${kind}`}>
            <Link to={addressOf('runs', { worker: name, queue, kind, outcome: 'running' })}>
              {number(count)} {kind}
            </Link>
          </div>
        ))}
      </td>
      <td data-name="Memory" class="number">
        {memory === null ? '–' : megabytes(memory)}
      </td>
      <td data-name="Queues" class="narrow wide">
        <Names names={queues} of="queues" />
      </td>
      <td data-name="Kinds" class="narrow wide">
        <Names names={Object.keys(kinds)} of="kinds" />
      </td>
    </tr>
  );
}

function Slots({ name, inUse, of }: { readonly name: string; readonly inUse: number; readonly of: number }) {
  return (
    <>
      {number(inUse)} of {number(of)}
      <meter class="slots" max={of} value={inUse} aria-label={`Slots in use of ${name}`} />
    </>
  );
}

/** More than a few unfold. */
function Names({ names, of: what }: { readonly names: readonly string[]; readonly of: string }) {
  if (names.length <= SHOWN) return <>{names.join(', ')}</>;
  return (
    <details>
      <summary>
        {number(names.length)} {what}
      </summary>
      {names.join(', ')}
    </details>
  );
}
