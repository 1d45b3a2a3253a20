export { away, DatabaseAwayError } from './database-away.js';
export { Demo } from './demo/demo.js';
export {
  ConfigError,
  configOrExit,
  databaseUrl,
  HTTP,
  logLevel,
  protocolOf,
  url,
  urlOfDatabase,
  whole,
  withoutEmpty,
} from './environment.js';
export { createLog, type LogLevel } from './log.js';
export { isMysqlLost } from './mysql-connection-lost.js';
export { endIfPortTaken } from './port-taken.js';
export { isPostgresLost } from './postgres-connection-lost.js';
export { startWhenPossible } from './start-when-possible.js';
export { stopOnSignal } from './stop-on-signal.js';
export { tellParent } from './tell-parent.js';
