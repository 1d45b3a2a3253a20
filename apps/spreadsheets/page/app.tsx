import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../src/web/views.js';
import { ask, type RequestFailed } from './ask.js';
import { Desk } from './desk.js';
import { Notice } from './notice.js';
import { SignIn } from './sign-in.js';

/** Who is signed in, and what they see. */
export function App() {
  const [session, setSession] = useState<Session>();
  const [notice, setNotice] = useState('');

  useEffect(() => {
    void load();
  }, []);

  function load(): Promise<void> {
    return ask<Session>('GET', '/session').then(arrive, (error: RequestFailed) => setNotice(error.message));
  }

  function arrive(arrived: Session): void {
    setSession(arrived);
    setNotice('');
    const next = new URLSearchParams(location.search).get('next');
    // A path of our own and nothing else, or this would forward people anywhere. Replaced, so that "back" does not lead there again.
    if (arrived.user && next && /^\/(?:spreadsheets\/[\w-]+\/send-back|rowlock\/)$/.test(next))
      location.replace(next);
  }

  async function signOut(): Promise<void> {
    const answer = await fetch('/session', { method: 'DELETE' }).catch(() => undefined);
    // The cookie is out of reach of this page: only the server takes it away.
    if (!answer?.ok) throw new Error('You are still signed in: signing out did not work. Try again.');
    setNotice('');
    setSession((before) => before && { ...before, user: null });
  }

  /** The sign-in has ended already. */
  async function leave(why: string): Promise<void> {
    await fetch('/session', { method: 'DELETE' }).catch(() => {});
    setNotice(why);
    setSession((before) => before && { ...before, user: null });
  }

  if (!session) {
    return (
      <main class="gate">
        {notice !== '' && (
          <div class="panel">
            <Notice text={notice} />
            <button type="button" onClick={() => void load()}>
              Try again
            </button>
          </div>
        )}
      </main>
    );
  }
  if (!session.user) return <SignIn by={session.signIn} notice={notice} onArrive={arrive} />;
  return <Desk user={session.user.name} onLeave={leave} onSignOut={signOut} />;
}
