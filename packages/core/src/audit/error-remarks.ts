import type { AuditAction, AuditDetails } from '../driver/audit.js';
import { checkDate, checkKey, checkName } from '../input.js';
import { checkOptions } from '../known-options.js';
import type { Acting } from './acting.js';

export interface MuteOptions {
  /** Until when. Default: until `unmute`. */
  readonly until?: Date;
}

const MUTE_OPTIONS: readonly string[] = ['until'] satisfies (keyof MuteOptions)[];

/**
 * What operators say to each other about groups of errors, as the dashboard makes them: `error` is the `id` of a group there. Each remark
 * is on record for `insight.audit`, that of the program itself with the name of its host, and counts while the record is kept.
 */
export class ErrorRemarks<Tx = unknown> {
  readonly #calls: Acting<Tx>;

  constructor(calls: Acting<Tx>) {
    this.#calls = calls;
  }

  /**
   * The dashboard no longer lists these errors among those to look at. Their jobs, metrics and alerts stay as they are.
   *
   * @throws InvalidInputError
   */
  async mute(error: string, options: MuteOptions = {}): Promise<void> {
    checkOptions('mute()', options, MUTE_OPTIONS);
    const { until } = options;
    if (until !== undefined) checkDate('until', until);
    await this.#add('mute', error, { until: until?.toISOString() ?? null });
  }

  /** Ends a mute before its time. */
  async unmute(error: string): Promise<void> {
    await this.#add('unmute', error, {});
  }

  /**
   * Adds a note. The dashboard shows the newest one.
   *
   * @param text Up to 512 characters.
   * @throws InvalidInputError
   */
  async note(error: string, text: string): Promise<void> {
    checkKey('The note', text);
    await this.#add('note', error, { text });
  }

  async #add(action: AuditAction, error: string, details: AuditDetails): Promise<void> {
    checkName('The id of the errors', error);
    const { by } = this.#calls;
    await this.#calls.on(undefined).audit.note({ by, action, scope: 'error', name: error, details });
  }
}
