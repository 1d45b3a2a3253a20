import type { Json as Value } from '@rowlock/core';

/** A value as JSON. Nothing for null. */
export function Json({ title, value }: { readonly title: string; readonly value: Value }) {
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return null;
  return (
    <section class="panel">
      <h2>{title}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser. */}
      <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
    </section>
  );
}
