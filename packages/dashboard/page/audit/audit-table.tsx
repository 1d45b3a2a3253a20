import type { Json, Stored } from '@rowlock/core';
import type { AuditEntry } from '@rowlock/core/types';
import { number } from '../format/numbers.js';
import { inLocalTime, lasting } from '../format/times.js';
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
            <td data-name="To" class="double narrow">
              <Target {...entry} />
            </td>
            <td data-name="Who" class="narrow">
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

/** `changed 200, per 1 min, queue mail, error code ETIMEDOUT` */
function textOf(details: Stored<AuditEntry>['details']): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${wordsOf(name)} ${shownOf(name, value)}`)
    .join(', ');
}

/** A name of the code as words, without its unit. */
function wordsOf(name: string): string {
  return name.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function shownOf(name: string, value: Json): string {
  if (typeof value === 'string') return inLocalTime(value);
  if (typeof value === 'number') return name.endsWith('Ms') ? lasting(value) : number(value);
  if (Array.isArray(value)) return value.map((each) => shownOf(name, each)).join(' ');
  return JSON.stringify(value);
}
