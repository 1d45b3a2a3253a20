import { vi } from 'vitest';

/**
 * Does something while this process believes that it is the year 2001: whoever asks it for the time instead of
 * the database is found out.
 */
export async function withWrongClock<T>(work: () => Promise<T>): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date('2001-01-01T00:00:00Z') });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
