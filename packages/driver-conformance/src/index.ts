export { conformanceTests } from './conformance-tests.js';
export { countStates } from './count-states.js';
export { describeContention } from './describe-contention.js';
export { type CrashUnderTest, describeCrash } from './describe-crash.js';
export { type DriverUnderTest, describeDriver } from './describe-driver.js';
export { describeFrozen, type FrozenUnderTest } from './describe-frozen.js';
export { describeInterleavings } from './describe-interleavings.js';
export { describeModel } from './describe-model.js';
export { describeModelFaults } from './describe-model-faults.js';
export {
  type Account,
  type AccountsDatabase,
  describeRights,
  type RightsUnderTest,
} from './describe-rights.js';
export type {
  Caller,
  DriverHarness,
  DriverProcess,
  Impossible,
  JobChange,
  JobRow,
  Mishaps,
  ProcessOptions,
  RawJob,
  Reader,
  RunRow,
  SampledCode,
  Samples,
  TestDatabase,
  Wait,
} from './driver-harness.js';
export { HandClock } from './hand-clock.js';
export { newJob } from './new-job.js';
export { RecordedSocket } from './recorded-socket.js';
export { play, SCENES } from './scenes.js';
export { type SeverableServer, severableServer } from './severable-server.js';
export type { SuitePart } from './suite-part.js';
export { testWholeSuite } from './test-whole-suite.js';
export { Transcript } from './transcript.js';
