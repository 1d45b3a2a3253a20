import { useRef } from 'preact/hooks';

/**
 * A word for what is sent: the same one where it is sent again as it was. So the server does once what a viewer repeats because
 * an answer was lost.
 */
export function useOnce(): (body: object) => string {
  const last = useRef({ text: '', once: '' });
  return (body) => {
    const text = JSON.stringify(body);
    if (text !== last.current.text) last.current = { text, once: randomWord() };
    return last.current.once;
  };
}

/** Also where the page is no secure context, which has no `randomUUID`. */
function randomWord(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
