import { useEffect, useRef } from 'preact/hooks';
import { usePage } from './page.js';
import { addressOf } from './place.js';

const UUID = /^[\da-f]{8}-([\da-f]{4}-){3}[\da-f]{12}$/i;

/** Finds a job by its id, and jobs by their key. The key `/` leads here. */
export function Search() {
  const { go } = usePage();
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping(event)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);

  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const text = input.current?.value.trim() ?? '';
          if (text === '') return;
          go(
            UUID.test(text) ? addressOf('job', { id: text.toLowerCase() }) : addressOf('jobs', { key: text }),
          );
        }}
      >
        <input
          ref={input}
          type="search"
          aria-label="Search: the id of a job, or a key"
          aria-keyshortcuts="/"
          placeholder="Job id, or key  ( / )"
        />
      </form>
    </search>
  );
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, dialog *');
}
