import { Notice } from '../parts/notice.js';
import { usePage } from './page.js';
import { SignIn } from './sign-in.js';
import type { Connection } from './use-connection.js';

/** Says what is wrong between the page and the server, of when the page is, and what to do. What a screen says itself is left out. */
export function ConnectionLine({ fault, since }: Connection) {
  const { look } = usePage();
  const { sign, text } = fault ?? {};
  const asOf = since === undefined ? '' : `The page is as of ${since.toLocaleTimeString()}.`;
  return (
    <>
      <p class="hint" role="status">
        {sign === 'slow' && `The server takes its time, and is still asked. ${asOf}`}
      </p>
      {(sign === 'away' || sign === 'signed-out') && (
        <Notice text={text ?? ''}>
          {asOf}
          {sign === 'signed-out' && <SignIn />}
          <button type="button" class="small" onClick={look}>
            Try again
          </button>
        </Notice>
      )}
    </>
  );
}
