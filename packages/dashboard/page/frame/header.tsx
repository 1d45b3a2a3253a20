import { Link } from '../parts/link.js';
import { usePage } from './page.js';
import { addressOf } from './place.js';
import { SCREENS } from './screens.js';
import { Search } from './search.js';

interface Props {
  readonly live: boolean;
  readonly onLive: (live: boolean) => void;
}

export function Header({ live, onLive }: Props) {
  const { place, session } = usePage();
  return (
    <header class="top">
      <b class="brand">Rowlock</b>
      <nav aria-label="Screens">
        <ul>
          {Object.entries(SCREENS).map(
            ([name, { title, inMenu }]) =>
              inMenu && (
                <li key={name}>
                  <Link to={addressOf(name)} current={place.screen === name}>
                    {title}
                  </Link>
                </li>
              ),
          )}
        </ul>
      </nav>
      <Search />
      <label class="inline">
        <input type="checkbox" checked={live} onChange={(event) => onLive(event.currentTarget.checked)} />
        Live
      </label>
      {session.can.length === 1 && <span class="hint">read-only</span>}
    </header>
  );
}
