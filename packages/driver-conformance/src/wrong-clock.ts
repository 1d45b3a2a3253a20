import { vi } from 'vitest';

/**
 * Does something while this process believes that it is another year: whoever asks it for the time instead of
 * the database is found out.
 */
export async function withWrongClock<T>(work: () => Promise<T>, year = 2001): Promise<T> {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(`${year}-01-01T00:00:00Z`) });
  try {
    return await work();
  } finally {
    vi.useRealTimers();
  }
}
