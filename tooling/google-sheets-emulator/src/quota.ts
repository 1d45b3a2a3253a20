import { type Api, GoogleError } from './google-error.js';

/** Calls allowed in each minute of the clock. `Infinity` switches a limit off. */
export interface Quotas {
  /** Sheets reads of the project; default 300. */
  readonly readsPerMinute: number;
  /** Sheets reads of one user; default 60. */
  readonly readsPerMinutePerUser: number;
  /** Sheets writes of the project; default 300. */
  readonly writesPerMinute: number;
  /** Sheets writes of one user; default 60. */
  readonly writesPerMinutePerUser: number;
  /** Drive calls of any kind, of the project; default 12,000. */
  readonly drivePerMinute: number;
}

/**
 * For Sheets they are Google's: https://developers.google.com/workspace/sheets/api/limits. For Drive they are not: Google counts
 * quota units (https://developers.google.com/workspace/drive/api/guides/limits), and here it is calls.
 */
export const DEFAULT_QUOTAS: Quotas = {
  readsPerMinute: 300,
  readsPerMinutePerUser: 60,
  writesPerMinute: 300,
  writesPerMinutePerUser: 60,
  drivePerMinute: 12_000,
};

const MINUTE_MS = 60_000;

/** Counts calls in windows of a minute. A refused call does not count. */
export class QuotaMeter {
  readonly #quotas: Quotas;
  readonly #now: () => number;
  #minute = Number.NaN;
  #used = new Map<string, number>();

  constructor(quotas: Partial<Quotas>, now: () => number) {
    this.#quotas = { ...DEFAULT_QUOTAS, ...quotas };
    this.#now = now;
  }

  /** @throws GoogleError 429 RESOURCE_EXHAUSTED (Sheets) or 403 userRateLimitExceeded (Drive) when the minute is used up */
  spend(api: Api, kind: 'read' | 'write', user: string): void {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (minute !== this.#minute) {
      this.#minute = minute;
      this.#used = new Map();
    }
    const limits = api === 'drive' ? this.#driveLimits() : this.#sheetsLimits(kind, user);
    for (const { name, limit, refusal } of limits) {
      if ((this.#used.get(name) ?? 0) >= limit) throw refusal();
    }
    for (const { name } of limits) this.#used.set(name, (this.#used.get(name) ?? 0) + 1);
  }

  #driveLimits() {
    return [{ name: 'drive', limit: this.#quotas.drivePerMinute, refusal: driveRefusal }];
  }

  #sheetsLimits(kind: 'read' | 'write', user: string) {
    const word = kind === 'read' ? 'Read' : 'Write';
    const { readsPerMinute, readsPerMinutePerUser, writesPerMinute, writesPerMinutePerUser } = this.#quotas;
    return [
      {
        name: kind,
        limit: kind === 'read' ? readsPerMinute : writesPerMinute,
        refusal: () => sheetsRefusal(word, 'per minute', 'PerMinutePerProject'),
      },
      {
        name: `${kind} ${user}`,
        limit: kind === 'read' ? readsPerMinutePerUser : writesPerMinutePerUser,
        refusal: () => sheetsRefusal(word, 'per minute per user', 'PerMinutePerUser'),
      },
    ];
  }
}

function sheetsRefusal(word: 'Read' | 'Write', period: string, limit: string): GoogleError {
  const service = 'sheets.googleapis.com';
  const message = `Quota exceeded for quota metric '${word} requests' and limit '${word} requests ${period}' of service '${service}' for consumer 'project_number:1'.`;
  const metadata = {
    service,
    consumer: 'projects/1',
    quota_metric: `${service}/${word.toLowerCase()}_requests`,
    quota_limit: `${word}Requests${limit}`,
  };
  const info = {
    '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
    reason: 'RATE_LIMIT_EXCEEDED',
    domain: 'googleapis.com',
    metadata,
  };
  return new GoogleError(429, message, { details: [info] });
}

function driveRefusal(): GoogleError {
  return new GoogleError(
    403,
    'User Rate Limit Exceeded. Rate of requests for user exceed configured project quota.',
    {
      domain: 'usageLimits',
      reason: 'userRateLimitExceeded',
    },
  );
}
