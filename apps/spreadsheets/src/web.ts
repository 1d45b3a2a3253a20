import { compose } from './composition.js';
import { configOrExit } from './config-or-exit.js';
import { createLog } from './log.js';
import { stopOnSignal } from './stop-on-signal.js';
import { startFrontEnd } from './web/front-end.js';

// The front end: takes requests and writes them down, whether or not a worker runs. Any number of processes.
const config = configOrExit('web');
const log = createLog('web', config.logLevel);
const { both, close } = compose(config, log);

const frontEnd = await both((rowlock, store) => startFrontEnd({ config, rowlock, store, log }));
stopOnSignal(log, async () => {
  await frontEnd.stop();
  await close();
});
log.info({ address: frontEnd.address }, 'listening');
process.send?.({ listening: frontEnd.address });
