import { localTime } from '../format/times.js';
import { usePage } from '../frame/page.js';
import { addressOf } from '../frame/place.js';
import { Link } from './link.js';

/** Fields by their names in the address, with their labels. */
type Fields = readonly (readonly [name: string, label: string])[];

interface Props {
  readonly screen: string;
  /** The filter of the address. */
  readonly query: URLSearchParams;
  readonly texts: Fields;
  readonly times: Fields;
  /** Values to choose from, by the names of their fields. Others may be typed. */
  readonly known?: Readonly<Record<string, readonly string[]>>;
  readonly filterOf: (form: FormData) => URLSearchParams;
}

/** The texts and the times of the address's filter, to change. */
export function FilterForm({ screen, query, texts, times, known = {}, filterOf }: Props) {
  const { go } = usePage();
  return (
    <form
      class="filters"
      aria-label="Filter"
      // Another address begins with its own texts.
      key={String(query)}
      onSubmit={(event) => {
        event.preventDefault();
        go(addressOf(screen, filterOf(new FormData(event.currentTarget))));
      }}
    >
      {texts.map(([name, label]) => (
        <label key={name}>
          {label}
          <input
            name={name}
            defaultValue={query.getAll(name).join(', ')}
            list={known[name] && `known-${name}`}
          />
          {known[name] && (
            <datalist id={`known-${name}`}>
              {known[name].map((value) => (
                <option value={value} key={value} />
              ))}
            </datalist>
          )}
        </label>
      ))}
      {times.map(([name, label]) => (
        <label key={name}>
          {label}
          <input type="datetime-local" name={name} defaultValue={localTime(query.get(name) ?? '')} />
        </label>
      ))}
      <p class="buttons">
        <button type="submit" class="primary">
          Filter
        </button>
        <Link to={addressOf(screen)}>Clear</Link>
      </p>
    </form>
  );
}
