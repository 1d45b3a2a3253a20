import type { Json as Value } from '@rowlock/core';
import { Lines } from './lines.js';

/** A value as JSON. Nothing for null. */
export function Json({ title, value }: { readonly title: string; readonly value: Value }) {
  if (value === null || (typeof value === 'object' && Object.keys(value).length === 0)) return null;
  return (
    <section class="panel">
      <h2>{title}</h2>
      <Lines text={JSON.stringify(value, null, 2)} />
    </section>
  );
}
