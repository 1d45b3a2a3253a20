import type { Stored } from '@rowlock/core';
import { isOwnWork } from '../../src/scope.js';
import type { OverviewView } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { Act } from '../parts/act.js';
import { workIn } from '../parts/pause-dialog.js';
import { Time } from '../parts/time.js';

/** What is paused, by whom and why. */
export function Pauses({ pauses }: Pick<Stored<OverviewView>, 'pauses'>) {
  const { session } = usePage();
  if (pauses.length === 0) return null;
  return (
    <section class="panel" aria-label="Pauses">
      <h2>Paused</h2>
      <ul class="list">
        {pauses.map((pause) => (
          <li key={`${pause.scope} ${pause.name}`}>
            <b>{workIn(pause)}</b>
            <span class="hint">
              by {pause.by}, <Time at={pause.pausedAt} />
              {pause.until !== null && (
                <>
                  , ends <Time at={pause.until} />
                </>
              )}
              {pause.reason !== null && `: ${pause.reason}`}
            </span>
            {isOwnWork(session, pause) && (
              <Act
                permission="pause"
                path="resume"
                body={{ scope: pause.scope, name: pause.name }}
                done={`Resumed ${workIn(pause)}.`}
                label={`Resume ${workIn(pause)}`}
              >
                Resume
              </Act>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
