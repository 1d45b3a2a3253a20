import type { Stored } from '@rowlock/core';
import type { AuditEntry } from '@rowlock/core/types';
import { addressOf } from '../frame/place.js';
import { Empty } from '../parts/empty.js';
import { JobLink } from '../parts/job-link.js';
import { Link } from '../parts/link.js';
import { LongText } from '../parts/long-text.js';
import { Table } from '../parts/table.js';
import { Time } from '../parts/time.js';

interface Props {
  readonly entries: readonly Stored<AuditEntry>[];
  readonly isFiltered: boolean;
}

export function AuditTable({ entries, isFiltered }: Props) {
  if (entries.length === 0)
    return (
      <Empty
        title={isFiltered ? 'No operator has done anything like this.' : 'No operator has done anything yet.'}
      >
        <p>What is changed here, or by the command line, stands here with the name of who did it.</p>
      </Empty>
    );
  return (
    <Table title="Audit" head={['What', 'To', 'Who', 'When', 'Details']} isStacked>
      <tbody>
        {entries.map((entry) => (
          <tr key={entry.id}>
            <th scope="row">{entry.action}</th>
            <td data-name="To" class="short">
              <Target {...entry} />
            </td>
            <td data-name="Who" class="short">
              <Link to={addressOf('audit', { by: entry.by })}>{entry.by}</Link>
            </td>
            <td data-name="When">
              <Time at={entry.at} />
            </td>
            <td class="long wide">
              <LongText text={textOf(entry.details)} shown={160} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

function Target({ scope, name }: Pick<Stored<AuditEntry>, 'scope' | 'name'>) {
  if (scope === 'job')
    return (
      <>
        job <JobLink id={name} />
      </>
    );
  if (scope === 'all') return <>all work</>;
  if (scope === 'jobs') return <>jobs</>;
  return (
    <>
      {scope} <Link to={addressOf('audit', { name })}>{name}</Link>
    </>
  );
}

/** `changed 200, filter {"queue":"mail"}` */
function textOf(details: Stored<AuditEntry>['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
