import { useState } from 'preact/hooks';
import type { Session } from '../src/web/views.js';
import { ask, RequestFailed } from './ask.js';
import { Notice } from './notice.js';

const EXAMPLES = ['Ada', 'Grace', 'Linus'];

interface Props {
  readonly by: Session['signIn'];
  readonly notice: string;
  readonly onArrive: (session: Session) => void;
}

/** The way in: a name in the demo, a token of the identity provider otherwise. */
export function SignIn({ by, notice, onArrive }: Props) {
  const [given, setGiven] = useState('');
  const [problem, setProblem] = useState(notice);

  async function enter(text: string): Promise<void> {
    try {
      const token =
        by === 'token'
          ? text
          : (await ask<{ access_token: string }>('POST', '/demo/token', { name: text })).access_token;
      onArrive(await ask<Session>('POST', '/session', { token }));
    } catch (error) {
      setProblem(error instanceof RequestFailed ? error.message : String(error));
    }
  }

  return (
    <main class="gate">
      <form
        class="panel"
        onSubmit={(event) => {
          event.preventDefault();
          void enter(given.trim());
        }}
      >
        <h1>Spreadsheets</h1>
        <p>Ask for a Google Sheet, edit it, send it back. Watch what the workers do with your requests.</p>
        {by === 'name' ? (
          <>
            <label>
              Your name
              <input
                name="name"
                autocomplete="username"
                required
                maxLength={40}
                value={given}
                onInput={(e) => setGiven(e.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary">
              Sign in
            </button>
            <p class="hint">
              This is a demo: anybody gets in with a name and no password. Or be one of these.
            </p>
            <div class="buttons">
              {EXAMPLES.map((name) => (
                <button type="button" class="quiet" key={name} onClick={() => void enter(name)}>
                  {name}
                </button>
              ))}
            </div>
          </>
        ) : (
          <>
            <label>
              Access token of your identity provider
              <input
                name="token"
                type="password"
                autocomplete="off"
                required
                value={given}
                onInput={(e) => setGiven(e.currentTarget.value)}
              />
            </label>
            <button type="submit" class="primary">
              Sign in
            </button>
          </>
        )}
        <Notice text={problem} />
      </form>
    </main>
  );
}
