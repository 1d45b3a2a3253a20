import type { Stored } from '@rowlock/core';
import type { LimitView } from '@rowlock/core/types';
import { useState } from 'preact/hooks';
import type { OverviewView } from '../../src/views.js';
import { useCan } from '../frame/page.js';
import { useAnswer } from '../frame/use-answer.js';
import { Pauses } from '../overview/pauses.js';
import { Empty } from '../parts/empty.js';
import { Notice } from '../parts/notice.js';
import { LimitTable } from './limit-table.js';
import { SetLimit } from './set-limit.js';

/** The limits in use: who has which slot, when the next run may start, and how many jobs wait. */
export function Limits() {
  const { answer, problem } = useAnswer<readonly Stored<LimitView>[]>('limits');
  const { answer: overview } = useAnswer<Stored<OverviewView>>('overview');
  const [asked, setAsked] = useState<string>();
  const can = useCan('limits');
  const limits = answer ?? [];
  const pauses = overview?.pauses.filter(({ scope }) => scope === 'limit') ?? [];
  return (
    <>
      <header class="title">
        <h1>Limits</h1>
        {can && (
          <button type="button" class="end small" onClick={() => setAsked('')}>
            Set a limit …
          </button>
        )}
      </header>
      <Notice text={problem} />
      <Pauses pauses={pauses} />
      {answer?.length === 0 && (
        <Empty title="No limit is in use, and none was set.">
          <p>Those of handlers stand here once they have jobs, and those that were set here.</p>
        </Empty>
      )}
      {limits.length > 0 && (
        <LimitTable limits={limits} paused={pauses.map(({ name }) => name)} onSet={setAsked} />
      )}
      {asked !== undefined && <SetLimit limits={limits} asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}
