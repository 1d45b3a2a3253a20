import type { Stored } from '@rowlock/core';
import type { AuditAction, AuditPage } from '@rowlock/core/types';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { useAnswer } from '../frame/use-answer.js';
import { FilterForm } from '../parts/filter-form.js';
import { Link } from '../parts/link.js';
import { Notice } from '../parts/notice.js';
import { AuditTable } from './audit-table.js';

const TEXTS = [
  ['by', 'Operator'],
  ['action', 'Action'],
  ['name', 'Job or name'],
] as const;

/** All that core has, or the page does not compile. */
const ACTIONS = Object.keys({
  enqueue: true,
  cancel: true,
  redrive: true,
  update: true,
  delete: true,
  pause: true,
  resume: true,
  set: true,
  reset: true,
  run: true,
  remove: true,
  mute: true,
  unmute: true,
  note: true,
} satisfies Record<AuditAction, true>);

/** What operators have done, newest first. */
export function Audit() {
  const { query } = usePage().place;
  const { answer, problem, isOld } = useAnswer<Stored<AuditPage>>(`audit?${query}`);
  const filter = new URLSearchParams(query);
  filter.delete('cursor');
  return (
    <>
      <header class="title">
        <h1>Audit</h1>
        <span class="hint">what operators have done, newest first</span>
      </header>
      <details class="filter" open={filter.size > 0 || matchMedia('(min-width: 700px)').matches}>
        <summary>Filter</summary>
        <FilterForm
          screen="audit"
          query={filter}
          texts={TEXTS}
          times={[]}
          known={{ action: ACTIONS }}
          filterOf={filterOf}
        />
      </details>
      <Notice text={problem} />
      {answer !== undefined && (
        <div class="results" aria-busy={isOld}>
          <AuditTable entries={answer.entries} isFiltered={filter.size > 0} />
          <nav class="buttons" aria-label="Pages">
            {query.has('cursor') && <Link to={addressOf('audit', filter)}>Newest</Link>}
            {answer.cursor !== null && (
              <Link to={addressOf('audit', new URLSearchParams([...filter, ['cursor', answer.cursor]]))}>
                Older
              </Link>
            )}
          </nav>
        </div>
      )}
    </>
  );
}

function filterOf(form: FormData): URLSearchParams {
  const next = new URLSearchParams();
  for (const [name] of TEXTS) {
    const text = String(form.get(name) ?? '').trim();
    if (text !== '') next.set(name, text);
  }
  return next;
}
