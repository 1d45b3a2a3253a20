import type { JobError } from '@rowlock/core';

/** An error with its details, and where it was thrown. */
export function JobErrorPanel({ error }: { readonly error: JobError | null }) {
  if (error === null) return null;
  const { code, message, details, stack } = error;
  return (
    <section class="panel">
      <h2>Error</h2>
      <p class="long">
        <b>{code}</b> {message}
      </p>
      {details !== undefined && <Lines text={JSON.stringify(details, null, 2)} />}
      {stack !== undefined && <Lines text={stack.replaceAll(/^\s+at /gm, '  at ')} />}
    </section>
  );
}

function Lines({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser.
  return <pre tabIndex={0}>{text}</pre>;
}
