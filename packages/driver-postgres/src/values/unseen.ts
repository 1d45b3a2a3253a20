/**
 * Hides a parameter's value from the planner. The planner reads an array's length, but expects ten items in a generic plan.
 * For fewer items the planner rates a plan for these values as cheaper, and plans each time. Planning takes longer than the statement.
 */
export const unseen = (parameter: string, type: string): string => `(SELECT ${parameter}::${type})::${type}`;
