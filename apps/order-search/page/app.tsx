import { useEffect, useState } from 'preact/hooks';
import type { ResultsView } from '../src/web/views.js';
import { Order } from './order.js';
import { Results } from './results.js';
import { Status } from './status.js';
import { useAnswer } from './use-answer.js';
import { usePlace } from './use-place.js';
import { useStatus } from './use-status.js';

/** A search box that finds while one types, its results, and one order. */
export function App() {
  const { typed, orderNo, go } = usePlace();
  const status = useStatus();
  const [version, setVersion] = useState(0);
  const path = typed.trim() === '' ? undefined : `/api/search?q=${encodeURIComponent(typed)}`;
  const { answer, problem, isOld } = useAnswer<ResultsView>(path, version);

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
              placeholder="A name, a town, a part number, the end of a telephone number"
              maxLength={200}
              onInput={({ currentTarget }) => go({ typed: currentTarget.value, orderNo: undefined })}
            />
          </label>
        </search>
        <p class="notice" role="alert">
          {problem}
        </p>
        {orderNo === undefined ? (
          <Results results={answer} isOld={isOld} onOpen={(no) => go({ typed, orderNo: no })} />
        ) : (
          <Order orderNo={orderNo} version={version} onBack={() => go({ typed, orderNo: undefined })} />
        )}
      </main>
    </>
  );
}
