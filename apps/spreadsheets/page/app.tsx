import { useEffect, useState } from 'preact/hooks';
import type { Session } from '../src/web/views.js';
import { ask, type RequestFailed } from './ask.js';
import { Desk } from './desk.js';
import { SignIn } from './sign-in.js';

/** Who is signed in, and what they see. */
export function App() {
  const [session, setSession] = useState<Session>();
  const [notice, setNotice] = useState('');

  useEffect(() => {
    ask<Session>('GET', '/session').then(arrive, (error: RequestFailed) => setNotice(error.message));
  }, []);

  function arrive(arrived: Session): void {
    setSession(arrived);
    setNotice('');
    const next = new URLSearchParams(location.search).get('next');
    // A path of our own and nothing else, or this would forward people anywhere.
    if (arrived.user && next && /^\/spreadsheets\/[\w-]+\/send-back$/.test(next)) location.assign(next);
  }

  async function leave(why: string): Promise<void> {
    await fetch('/session', { method: 'DELETE' }).catch(() => {});
    setNotice(why);
    setSession((before) => before && { ...before, user: null });
  }

  if (!session) return <p class="plain">{notice}</p>;
  if (!session.user) return <SignIn by={session.signIn} notice={notice} onArrive={arrive} />;
  return <Desk user={session.user.name} onLeave={leave} />;
}
