export { conformanceTests } from './conformance-tests.js';
export { type DriverUnderTest, describeDriver } from './describe-driver.js';
export type {
  Caller,
  DriverHarness,
  DriverProcess,
  Impossible,
  JobChange,
  JobRow,
  RawJob,
  Reader,
  RunRow,
  SampledCode,
  Samples,
  TestDatabase,
} from './driver-harness.js';
export { type SeverableServer, severableServer } from './severable-server.js';
