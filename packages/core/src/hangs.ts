/**
 * How long something may keep others waiting, in milliseconds. After that, its connection may be dead: the driver's own
 * timeout is much longer.
 */
export const HANGS_MS = { look: 50, statement: 200, lookBack: 2_000 } as const;
