/**
 * A parameter whose value the planner does not look at. From an array it learns how long it is: a plan for any number counts with ten, so
 * for fewer it takes one for these values to be cheaper, and makes one each time, which takes longer than the statement.
 */
export const unseen = (parameter: string, type: string): string => `(SELECT ${parameter}::${type})::${type}`;
