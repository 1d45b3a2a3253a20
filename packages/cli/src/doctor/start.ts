import { type Driver, type DriverErrorCode, isDriverError } from '@rowlock/core';
import type { Finding, Verified } from '@rowlock/core/driver';
import { remedyFor } from './remedy.js';

/** What a worker checks when it starts. Null with what keeps it from starting. */
interface Started {
  readonly verified: Verified | null;
  /** Whether it waited for a lock, until it gave up. */
  readonly isLocked: boolean;
  readonly findings: readonly Finding[];
}

/** By the code of the error. */
const CHECKS: Partial<Record<DriverErrorCode, string>> = {
  SchemaOutdated: 'schema',
  SchemaDiffers: 'schema',
  PermissionDenied: 'rights',
};

/** Whether a worker would start here. */
export async function start(driver: Driver): Promise<Started> {
  try {
    const verified = await driver.schema.verify();
    const findings = (verified.warnings ?? []).map((warning) => ({
      check: 'server',
      severity: 'warning' as const,
      ...divided(warning),
      why: 'It does harm if it lasts.',
    }));
    return { verified, isLocked: false, findings };
  } catch (error) {
    return {
      verified: null,
      isLocked: isDriverError(error, 'LockTimeout'),
      findings: [{ severity: 'broken', ...faultOf(error), why: 'No worker starts.' }],
    };
  }
}

function faultOf(error: unknown): Pick<Finding, 'check' | 'what' | 'remedy'> {
  const message = error instanceof Error ? error.message : String(error);
  const check = isDriverError(error) ? CHECKS[error.code] : undefined;
  // Without a cause the sentence is the driver's own, and says what to do.
  const isOwn = isDriverError(error, 'PermissionDenied') && error.cause === undefined;
  const remedy = isOwn ? undefined : remedyFor(error);
  return {
    check: check ?? 'server',
    ...(remedy === undefined ? divided(message) : { what: message.replace(/\.?$/, '.'), remedy }),
  };
}

/** The messages of drivers say what is wrong in the first sentence, and then what to do. */
function divided(message: string): Pick<Finding, 'what' | 'remedy'> {
  const end = /[.:] (?=[A-Z])/.exec(message)?.index ?? message.length;
  return {
    what: `${message.slice(0, end).replace(/\.$/, '')}.`,
    remedy: message.slice(end + 2) || 'Change it.',
  };
}
