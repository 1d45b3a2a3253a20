import type { Stored } from '@rowlock/core';
import type { ErrorGroup } from '../../src/views.js';
import { number } from '../format/numbers.js';
import { addressOf } from '../frame/place.js';
import { Link } from '../parts/link.js';
import { LongText } from '../parts/long-text.js';
import { Sparkline } from '../parts/sparkline.js';
import { ACTIONS, Table } from '../parts/table.js';
import { Time } from '../parts/time.js';
import { ErrorMenu } from './error-menu.js';

const HEAD = ['Error', 'Kinds', { number: 'Jobs' }, 'Over time', 'First seen', 'Last seen', ACTIONS];

interface Props {
  readonly title: string;
  readonly groups: readonly Stored<ErrorGroup>[];
}

export function ErrorTable({ title, groups }: Props) {
  return (
    <Table title={title} head={HEAD} isStacked>
      <tbody>
        {groups.map((group) => (
          <GroupRow group={group} key={group.id} />
        ))}
      </tbody>
    </Table>
  );
}

function GroupRow({ group }: { readonly group: Stored<ErrorGroup> }) {
  const { code, message, pattern, kinds, jobs, line, first, last, filter } = group;
  return (
    <tr>
      <td class="long wide" title={message}>
        <b>{code}</b> {jobs === 1 ? message : pattern}
        <Remarks {...group} />
      </td>
      <td data-name="Kinds" class="long">
        {kinds.join(', ')}
      </td>
      <td data-name="Jobs" class="number">
        <Link to={addressOf('jobs', new URLSearchParams(filter))}>{number(jobs)}</Link>
      </td>
      <td data-name="Over time">
        <Sparkline of={`Failures by ${code}`} values={line} isBad />
      </td>
      <td data-name="First seen">
        <Time at={first} />
      </td>
      <td data-name="Last seen">
        <Time at={last} />
      </td>
      <td class="end">
        <ErrorMenu group={group} />
      </td>
    </tr>
  );
}

/** What operators have said of the errors, with their names. */
function Remarks({ note, muted }: Pick<Stored<ErrorGroup>, 'note' | 'muted'>) {
  return (
    <>
      {note !== null && (
        <p class="hint">
          <LongText text={note.text} shown={160} /> – {note.by}, <Time at={note.at} />
        </p>
      )}
      {muted !== null && (
        <p class="hint">
          Muted by {muted.by} <Time at={muted.at} />, {muted.until === null ? 'without an end' : 'ends '}
          {muted.until !== null && <Time at={muted.until} />}
        </p>
      )}
    </>
  );
}
