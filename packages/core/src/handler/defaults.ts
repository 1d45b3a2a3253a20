/** The default queue of a handler. */
export const QUEUE = 'default';

/** The default number of attempts of a handler's jobs. */
export const ATTEMPTS = 5;
