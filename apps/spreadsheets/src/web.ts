import { compose } from './composition.js';
import { configOrExit } from './config-or-exit.js';
import { createLog } from './log.js';
import { PORT_TAKEN } from './port-taken.js';
import { stopOnSignal } from './stop-on-signal.js';
import { tellParent } from './tell-parent.js';
import { startFrontEnd } from './web/front-end.js';

// The front end: takes requests and writes them down, whether or not a worker runs. Any number of processes.
const config = configOrExit('web');
const log = createLog('web', config.logLevel);
const { both, close } = compose(config, log);

const starting = both((rowlock, store) => startFrontEnd({ config, rowlock, store, log }));
stopOnSignal(log, async () => {
  await (await starting).stop();
  await close();
});
const { address } = await starting.catch(endIfPortTaken);
log.info({ address }, 'listening');
tellParent({ listening: address });

function endIfPortTaken(error: unknown): never {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
  console.error(`Port ${config.web.port} of ${config.web.host} is taken.`);
  process.exit(PORT_TAKEN);
}
