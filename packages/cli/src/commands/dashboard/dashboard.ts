import { once } from 'node:events';
import type { Server } from 'node:http';
import { Command } from '@commander-js/extra-typings';
import { InvalidArgumentError } from 'commander';
import type { CommandContext, Session } from '../../command-context.js';
import { countOrNone } from '../../count.js';
import { who } from '../../who.js';
import { tokenAccess } from './access.js';
import { HOST, listen } from './listen.js';

export const dashboard = (context: CommandContext) =>
  new Command('dashboard')
    .description('a page for the browser of this machine, until Ctrl-C')
    .option('--port <number>', 'where it listens. Default: a free port', portOf, 0)
    .option('--read-only', 'nothing can be changed')
    .action(({ port, readOnly }) =>
      context.withDatabase(async (session) => {
        // What is wrong with the database is said here, and not on each screen.
        await session.rowlock.insight.stats();
        const listening = await listen(port);
        try {
          await serve(session, listening, readOnly === true);
        } finally {
          listening.server.close().closeAllConnections();
        }
      }),
    );

async function serve(
  { rowlock, output, terminal, complaints }: Session,
  { server, port }: { readonly server: Server; readonly port: number },
  isReadOnly: boolean,
): Promise<void> {
  // Other commands do without the package's files.
  const { createDashboard, node } = await import('@rowlock/dashboard');
  const { access, query } = tokenAccess(`rowlock-${port}`, {
    can: isReadOnly ? 'read-only' : ['operator', 'enqueue'],
    name: who(),
  });
  const page = createDashboard({
    rowlock,
    access,
    log: { error: (about) => complaints.say(Object(about).err) },
  });
  server.on('request', node(page));
  const url = `http://${HOST}:${port}/?${query}`;
  // Read ahead of the output, behind which a reader may send the signal.
  const { signal } = terminal;
  output.one({ url }, `The dashboard is at ${url}`, 'The address has its key. Ctrl-C ends the dashboard.');
  if (!signal.aborted) await once(signal, 'abort');
  page.close();
}

function portOf(text: string): number {
  const port = countOrNone(text);
  if (port <= 65_535) return port;
  throw new InvalidArgumentError('It takes a whole number up to 65535.');
}
