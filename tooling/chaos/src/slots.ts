/** The limits that jobs have, by name, and the size that jobs say. All modes share them. */
export const LIMITS = { 'limit of 1': 1, 'limit of 3': 3, 'limit of 10': 10 } as const;

export const LIMIT_NAMES = ['limit of 1', 'limit of 3', 'limit of 10'] as const;
