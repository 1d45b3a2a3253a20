export { conformanceTests } from './conformance-tests.js';
export { type DriverUnderTest, describeDriver } from './describe-driver.js';
export type {
  AuditRow,
  Caller,
  DriverHarness,
  DriverProcess,
  JobChange,
  JobRow,
  Reader,
  RunRow,
  Samples,
  TestDatabase,
  Wait,
} from './driver-harness.js';
export { moveOne } from './move-one.js';
export type { SuitePart } from './suite-part.js';
export { testWholeSuite } from './test-whole-suite.js';
