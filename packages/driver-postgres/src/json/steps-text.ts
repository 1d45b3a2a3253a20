import type { Json, JsonObject } from '@rowlock/core';
import { type Step, storableJson } from '@rowlock/core/driver';
import { toText } from '../connection/pipeline/to-text.js';

/** The steps as JSON, as `afterSteps` reads them. Each place is an array in Postgres's text format. */
export function stepsText(steps: readonly Step[]): string {
  return storableJson(
    steps.flatMap((step) =>
      step.do === 'merge' ? mergeSteps(step, step.at, step.patch) : { ...step, at: placeText(step.at) },
    ),
  );
}

/**
 * Postgres has no deep merge. There is a step for each object in the patch: it takes members out, and puts those in that
 * are no objects. The steps for the objects come after it.
 */
function mergeSteps(step: Step, at: Step['at'], patch: JsonObject): readonly object[] {
  const members = Object.entries(patch);
  const objects = members.filter((member): member is [string, JsonObject] => isObject(member[1]));
  const others = members.filter(([, value]) => value !== null && !isObject(value));
  const without = members.flatMap(([name, value]) => (value === null ? [name] : []));
  return [
    {
      do: 'merge',
      operation: step.operation,
      at: placeText(at),
      without: toText(without),
      members: Object.fromEntries(others),
    },
    ...objects.flatMap(([name, inner]) => mergeSteps(step, [...at, name], inner)),
  ];
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function placeText(at: Step['at']): string | null {
  return toText(at);
}
