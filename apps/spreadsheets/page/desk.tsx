import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import type { SpreadsheetView } from '../src/web/views.js';
import { ask, RequestFailed } from './ask.js';
import { CreateForm } from './create-form.js';
import { LockPicture } from './lock-picture.js';
import { hueOf } from './mark.js';
import { Notice } from './notice.js';
import { SpreadsheetList } from './spreadsheet-list.js';
import { usePicture } from './use-picture.js';
import { Welcome } from './welcome.js';

interface Props {
  readonly user: string;
  readonly onLeave: (why: string) => void;
  /** Rejects when the user is still signed in. */
  readonly onSignOut: () => Promise<void>;
}

/** The page of somebody who is signed in. */
export function Desk({ user, onLeave, onSignOut }: Props) {
  const [spreadsheets, setSpreadsheets] = useState<readonly SpreadsheetView[]>();
  const [problem, setProblem] = useState('');
  const [listProblem, setListProblem] = useState('');
  const { picture, connection } = usePicture(() => onLeave('Your sign-in has ended. Sign in again.'));

  const fail = useCallback((error: unknown, tell = setProblem): void => {
    if (error instanceof RequestFailed && error.status === 401) onLeave(error.message);
    else tell(error instanceof Error ? error.message : String(error));
  }, []);
  const succeed = useCallback((): void => setProblem(''), []);

  // An answer may come after that of a later request.
  const asked = useRef(0);
  const refresh = useCallback(async (): Promise<void> => {
    const own = ++asked.current;
    try {
      const answer = await ask<{ spreadsheets: SpreadsheetView[] }>('GET', '/api/spreadsheets');
      if (own !== asked.current) return;
      setSpreadsheets(answer.spreadsheets);
      setListProblem('');
    } catch (error) {
      if (own === asked.current) fail(error, setListProblem);
    }
  }, []);

  function created(): Promise<void> {
    succeed();
    return refresh();
  }

  // In the picture's order, so that every tab gives the same colours.
  for (const { entity } of picture?.boxes ?? []) hueOf(entity);
  const own = picture?.boxes.filter(({ spreadsheet }) => spreadsheet !== null) ?? [];
  // What became of the user's own requests: when it changes, so has their list.
  const fate = own.map(({ id, status }) => `${id} ${status}`).join();
  const isWaiting = connection === 'connecting';
  // What could not be had while something was away can be had again.
  const isLive = connection === 'live';
  useEffect(() => {
    if (isLive || (!isWaiting && spreadsheets === undefined)) void refresh();
  }, [fate, isWaiting, isLive]);

  return (
    <>
      <header class="top">
        <h1>Spreadsheets</h1>
        <span class="who">{user}</span>
        <button type="button" class="quiet" onClick={() => void onSignOut().catch(fail)}>
          Sign out
        </button>
      </header>
      <main class="desk">
        <div class="own">
          <Notice text={problem || listProblem} />
          {spreadsheets?.length === 0 && <Welcome onCreated={created} onFailed={(error) => fail(error)} />}
          <CreateForm
            onCreated={created}
            onFailed={(error) => fail(error)}
            isFirst={spreadsheets?.length === 0}
          />
          <SpreadsheetList
            spreadsheets={spreadsheets}
            boxes={own}
            onSent={succeed}
            onFailed={(error) => fail(error)}
          />
        </div>
        <LockPicture picture={picture} connection={connection} />
      </main>
    </>
  );
}
