import '@rowlock/servers/vitest';
import { describeSlotTrials } from './describe-slot-trials.js';

describeSlotTrials(Number(process.env.ROWLOCK_SLOT_TRIAL_MS ?? 4_000));
