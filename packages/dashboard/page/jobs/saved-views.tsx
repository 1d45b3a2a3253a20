import { useEffect, useState } from 'preact/hooks';
import { addressOf } from '../frame/place.js';
import { CopyButton } from '../parts/copy-button.js';
import { Dialog } from '../parts/dialog.js';
import { Link } from '../parts/link.js';
import { readViews, type Views, watchViews, writeViews } from './stored-views.js';

/** Filters that this browser keeps by names, and the address of the present one for somebody else. */
export function SavedViews({ filter }: { readonly filter: URLSearchParams }) {
  const [views, setViews] = useState<Views>(() => readViews() ?? {});
  useEffect(() => watchViews(() => setViews((before) => readViews() ?? before)), []);
  const [isOpen, setOpen] = useState(false);
  const names = Object.keys(views).toSorted();
  const present = String(filter);

  /** Changes what is kept now, as a tab that was asleep has missed what others did. */
  function keep(change: (kept: Views) => Views): void {
    const next = change(readViews() ?? views);
    setViews(next);
    writeViews(next);
  }

  if (names.length === 0 && present === '') return null;
  return (
    <nav class="buttons" aria-label="Saved views">
      {names.length > 0 && (
        <ul class="chips">
          {names.map((name) => (
            <li key={name}>
              <Link
                to={addressOf('jobs', new URLSearchParams(views[name]))}
                current={views[name] === present}
              >
                {name}
              </Link>
              <button
                type="button"
                class="quiet small"
                aria-label={`Forget the view ${name}`}
                onClick={() => keep(({ [name]: _, ...others }) => others)}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {present !== '' && !Object.values(views).includes(present) && (
        <button type="button" class="small" onClick={() => setOpen(true)}>
          Save this view …
        </button>
      )}
      {present !== '' && <CopyButton textOf={() => location.href}>Copy the link</CopyButton>}
      {isOpen && (
        <Dialog title="Save this view" onClose={() => setOpen(false)}>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              const name = String(new FormData(event.currentTarget).get('name')).trim();
              if (name === '') return;
              keep((kept) => ({ ...kept, [name]: present }));
              setOpen(false);
            }}
          >
            <label>
              Its name, in this browser
              <input name="name" required maxLength={60} />
            </label>
            <p class="buttons">
              <button type="submit" class="primary">
                Save
              </button>
              <button type="button" onClick={() => setOpen(false)}>
                Back
              </button>
            </p>
          </form>
        </Dialog>
      )}
    </nav>
  );
}
