import { configOrExit, createLog, endIfPortTaken, stopOnSignal, tellParent } from '@rowlock/app-shared';
import { compose } from './composition.js';
import { readConfig } from './config.js';
import { startFrontEnd } from './web/front-end.js';

// The search's page and its API. Any number of processes.
const config = configOrExit(() => readConfig(process.env));
const log = createLog('web', config.logLevel);
const { both, close } = compose(config.databaseUrl, log);

const starting = both((rowlock, store) => startFrontEnd(config, rowlock, store, log));
stopOnSignal(log, async () => {
  await (await starting).stop();
  await close();
});
const { address } = await starting.catch((error: unknown) => endIfPortTaken(error, config));
log.info({ address }, 'listening');
tellParent({ listening: address });
