import { parseArgs } from 'node:util';
import { UsageError, whole } from '../options.mjs';
import { PHASES } from './phases.mjs';
import { SYSTEMS } from './play.mjs';

const KNOWN = {
  seconds: { type: 'string', default: '10' },
  workers: { type: 'string', default: '16' },
  rate: { type: 'string', default: '600' },
  system: { type: 'string', multiple: true, default: [] },
  phase: { type: 'string', multiple: true, default: [] },
  'no-peers': { type: 'boolean', default: false },
  json: { type: 'string' },
};

/** @throws UsageError */
export function readPhaseOptions(args) {
  const values = parsed(args);
  const here = values['no-peers'] ? SYSTEMS.filter(({ module }) => module === null) : SYSTEMS;
  return {
    systems: chosen('system', here, values.system),
    phases: chosen('phase', PHASES, values.phase),
    /** How long a phase takes. */
    seconds: whole('seconds', values.seconds, 1, 3_600),
    workers: whole('workers', values.workers, 1, 250),
    /** Jobs a second. */
    rate: whole('rate', values.rate, 1, 100_000),
    json: values.json ?? null,
  };
}

/** Those with one of the texts in their name; all where there is no text. */
function chosen(what, all, parts) {
  const found = all.filter(
    ({ name }) => parts.length === 0 || parts.some((part) => name.toLowerCase().includes(part.toLowerCase())),
  );
  if (found.length > 0) return found;
  const names = [...new Set(all.map(({ name }) => `"${name}"`))];
  throw new UsageError(`There is no such ${what}: choose among ${names.join(', ')}.`);
}

function parsed(args) {
  try {
    return parseArgs({ args, options: KNOWN }).values;
  } catch (error) {
    const known = Object.keys(KNOWN).map((name) => `--${name}`);
    throw new UsageError(`${error.message.split('. ')[0]}. Known options of phases: ${known.join(', ')}.`);
  }
}
