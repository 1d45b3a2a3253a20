import type { WakeUp } from '@rowlock/core/driver';
import type { JobRow } from '../jobs/job-row.js';
import type { MemoryClock } from './clock.js';
import type {
  AuditRow,
  ExpiryRow,
  FollowerRow,
  LimitSettingRow,
  LimitSlotRow,
  PauseRow,
  RateRow,
  RecordRow,
  RunRow,
  ScheduleRow,
  TallyRow,
  WorkerRow,
} from './rows.js';
import type { Table } from './table.js';

/** The parts of the database that statements use. */
export interface Contents {
  readonly clock: MemoryClock;
  /** The application's own records. */
  readonly records: Table<RecordRow>;
  /** @throws DriverError `SchemaOutdated` before the migrations. */
  readonly tables: Tables;
  /** Whether the worker's session is open. */
  hasSession(workerId: string): boolean;
  /** Wakes workers. */
  ring(wakeUps: readonly WakeUp[]): void;
}

/** The tables that the migrations create. */
export interface Tables {
  readonly jobs: Table<JobRow>;
  readonly runs: Table<RunRow>;
  readonly workers: Table<WorkerRow>;
  readonly limitSlots: Table<LimitSlotRow>;
  readonly limitSettings: Table<LimitSettingRow>;
  readonly pauses: Table<PauseRow>;
  readonly rates: Table<RateRow>;
  readonly schedules: Table<ScheduleRow>;
  readonly tallies: Table<TallyRow>;
  readonly followers: Table<FollowerRow>;
  readonly expiries: Table<ExpiryRow>;
  readonly audit: Table<AuditRow>;
}
