import { useEffect, useRef } from 'preact/hooks';
import { isWhole, type Scope } from '../../src/scope.js';
import { Link } from '../parts/link.js';
import { usePage } from './page.js';
import { addressOf } from './place.js';
import { SchemeChoice } from './scheme-choice.js';
import { MENU } from './screens.js';
import { Search } from './search.js';

interface Props {
  readonly live: boolean;
  readonly onLive: (live: boolean) => void;
  /** Of when the page is, unless it is live. */
  readonly readAt: Date;
}

/** The menu, the search, and how the page is shown. */
export function Header({ live, onLive, readAt }: Props) {
  const { place, session, look } = usePage();
  const bar = useRef<HTMLDivElement>(null);
  // Where the menu is a line that scrolls, the screen's own name is in sight.
  useEffect(
    () =>
      bar.current?.querySelector('[aria-current]')?.scrollIntoView({ inline: 'center', block: 'nearest' }),
    [place.screen],
  );
  return (
    <header class="side">
      <span class="brand">Rowlock</span>
      <Search />
      <div class="ways" ref={bar}>
        <nav aria-label="Screens">
          {MENU.map((part, index) => (
            <ul key={index}>
              {Object.entries(part).map(
                ([name, { title, icon }]) =>
                  icon !== undefined && (
                    <li key={name}>
                      <Link to={addressOf(name)} current={place.screen === name}>
                        <Icon path={icon} />
                        {title}
                      </Link>
                    </li>
                  ),
              )}
            </ul>
          ))}
        </nav>
        <div class="settings">
          <label class="inline">
            <input type="checkbox" checked={live} onChange={(event) => onLive(event.currentTarget.checked)} />
            Live
          </label>
          {!live && (
            <>
              <span class="hint">as of {readAt.toLocaleTimeString()}</span>
              <button type="button" class="small" onClick={look}>
                Look again
              </button>
            </>
          )}
          <SchemeChoice />
          {!isWhole(session) && <span class="hint">{scopeText(session)}</span>}
          {session.can.length === 1 && <span class="hint">read-only</span>}
        </div>
      </div>
    </header>
  );
}

/** What of the jobs is shown. Many names are counted. */
function scopeText({ queues, kinds }: Scope): string {
  const parts = Object.entries({ queues, kinds }).flatMap(([what, names]) => {
    if (names === null) return [];
    return names.length > 3 ? [`${names.length} ${what}`] : [`the ${what} ${names.join(', ')}`];
  });
  return `shows ${parts.join(' and ')} alone`;
}

function Icon({ path }: { readonly path: string }) {
  return (
    <svg
      class="icon"
      viewBox="0 0 16 16"
      width="16"
      height="16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={path} />
    </svg>
  );
}
