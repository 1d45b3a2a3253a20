import { useEffect, useState } from 'preact/hooks';
import type { ResultsView } from '../src/web/views.js';
import { Examples } from './examples.js';
import { Order } from './order.js';
import { Results } from './results.js';
import { Status } from './status.js';
import { useAnswer } from './use-answer.js';
import { usePlace } from './use-place.js';
import { useStatus } from './use-status.js';
import { Waiting } from './waiting.js';

/** A search box that finds while one types, its results, and one order. */
export function App() {
  const { typed, before, orderNo, go } = usePlace();
  const status = useStatus();
  const [version, setVersion] = useState(0);
  const isBlank = typed.trim() === '';
  const page = before === undefined ? '' : `&before=${before}`;
  const path = isBlank ? undefined : `/api/search?q=${encodeURIComponent(typed)}${page}`;
  const search = useAnswer<ResultsView>(path, version);
  const { answer, problem, isOld, course } = search;
  const type = (text: string) => go({ typed: text, before: undefined, orderNo: undefined });

  // What has been indexed since may belong to the results.
  const news = typeof status === 'object' ? `${status.latest} ${status.waiting}` : '';
  useEffect(() => setVersion((before) => before + 1), [news]);

  return (
    <>
      <header class="top">
        <h1>Order search</h1>
        <Status status={status} />
      </header>
      <main class="search">
        <search>
          <label>
            <span class="unseen">Search</span>
            <input
              type="search"
              value={typed}
              placeholder="A name, a town, a part number, any part of a telephone number"
              maxLength={200}
              onInput={({ currentTarget }) => type(currentTarget.value)}
            />
          </label>
        </search>
        <p class="notice" role="alert">
          {problem}
        </p>
        {orderNo !== undefined && (
          <Order
            orderNo={orderNo}
            version={version}
            onBack={() => go({ typed, before, orderNo: undefined })}
          />
        )}
        {orderNo === undefined && isBlank && <Examples version={version} onTry={type} />}
        {orderNo === undefined && <Waiting {...search} />}
        {orderNo === undefined && !(course === 'given up' && isOld) && (
          <Results
            results={answer}
            isOld={isOld}
            onPage={(next) => {
              scrollTo({ top: 0 });
              go({ typed, before: next, orderNo: undefined });
            }}
            onOpen={(no) => go({ typed, before, orderNo: no })}
          />
        )}
      </main>
    </>
  );
}
