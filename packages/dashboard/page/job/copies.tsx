import type { JobView, Stored } from '@rowlock/core';
import type { JobLinks } from '../../src/views.js';
import { usePage } from '../frame/page.js';
import { CopyButton } from '../parts/copy-button.js';
import { commandFor, commandToShow } from './command.js';

interface Props {
  readonly job: Stored<JobView>;
  readonly links: JobLinks;
}

/** The job elsewhere: in other tools, in a file, in a terminal. What is copied is what the page shows. */
export function Copies({ job, links: { trace, log } }: Props) {
  const { redacted } = usePage().session;
  return (
    <p class="buttons">
      {trace !== null && <Elsewhere to={trace}>Trace</Elsewhere>}
      {log !== null && <Elsewhere to={log}>Log</Elsewhere>}
      <CopyButton textOf={() => JSON.stringify(job, null, 2)}>Copy as JSON</CopyButton>
      <CopyButton textOf={() => (redacted ? commandToShow(job) : commandFor(job))}>
        Copy as a command
      </CopyButton>
      <CopyButton textOf={() => location.href}>Copy the link</CopyButton>
    </p>
  );
}

function Elsewhere({ to, children }: { readonly to: string; readonly children: string }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer">
      {children}
      <span class="unseen">, in another tab</span> ↗
    </a>
  );
}
