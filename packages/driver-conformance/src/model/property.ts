import fc from 'fast-check';
import { expect } from 'vitest';
import type { DriverProcess, TestDatabase } from '../driver-harness.js';
import { endProcess } from '../stage.js';
import type { Command } from './command.js';
import type { DriverChange } from './faults.js';
import { MIXES } from './mixes.js';
import { Model } from './model.js';
import type { Actor } from './parts.js';
import { EFFECTS, type Setting } from './performed/setting.js';
import { leftOpen } from './result.js';
import { World } from './world.js';

/** Databases that one sequence is played on, side by side. */
export interface ModelDatabase {
  readonly name: string;
  world(): World<unknown>;
  close(): Promise<void>;
}

export async function openModelDatabase<Tx>(
  name: string,
  database: TestDatabase<Tx>,
  change: DriverChange = (driver) => driver,
): Promise<ModelDatabase> {
  const aside = await database.process();
  await aside.driver.schema.migrate();
  await database.reader.exec(`CREATE TABLE ${EFFECTS} (note VARCHAR(200))`);
  const processes = new Map<Actor, DriverProcess<Tx>>();
  const setting: Setting<Tx> = { database, processes, broken: change };
  return {
    name,
    world: () => new World(setting),
    close: async () => {
      await Promise.all([aside, ...processes.values()].map(endProcess));
    },
  };
}

/** One command, done by the model and by each driver. */
class Step implements fc.AsyncCommand<Model, Worlds, false> {
  #done: Command | undefined;

  constructor(readonly drawn: Command) {}

  check(model: Readonly<Model>): boolean {
    return model.find(this.drawn) !== undefined;
  }

  async run(model: Model, worlds: Worlds): Promise<void> {
    const command = model.find(this.drawn);
    if (command === undefined) return;
    this.#done = command;
    await worlds.compare(String(this), model.apply(command), (world) => world.perform(command));
  }

  toString(): string {
    const { do: verb, ...how } = this.#done ?? this.drawn;
    return `${verb} ${JSON.stringify(how)}`;
  }
}

/** What the model said and each driver did, from the first command to the last. */
class Worlds {
  readonly #worlds: readonly (readonly [name: string, world: World<unknown>])[];
  readonly history: string[] = [];

  constructor(modelDatabases: readonly ModelDatabase[]) {
    this.#worlds = modelDatabases.map((modelDatabase) => [modelDatabase.name, modelDatabase.world()]);
  }

  async compare(
    what: string,
    expected: unknown,
    perform: (world: World<unknown>) => Promise<unknown>,
  ): Promise<void> {
    this.history.push(`${what}: ${text(expected)}`);
    const results = await Promise.all(
      this.#worlds.map(async ([name, world]) => [name, leftOpen(expected, await perform(world))] as const),
    );
    // The report has only the message.
    const others = results.filter(([, result]) => text(result) !== text(expected));
    const said = others.map(([name, result]) => `${name} says ${text(result)}`);
    const refused = this.#worlds.map(
      ([name, { refusal }]) => `The newest refusal of ${name}: ${refusal || 'none'}`,
    );
    const all = results.map(([name]) => [name, expected]);
    const message = [...this.history, ...said, ...refused, ''].join('\n');
    expect(Object.fromEntries(results), message).toEqual(Object.fromEntries(all));
  }

  async end(): Promise<void> {
    await Promise.all(this.#worlds.map(([, world]) => world.end()));
  }

  async close(): Promise<void> {
    await Promise.all(this.#worlds.map(([, world]) => world.close()));
  }
}

/** Drawn; of these about every second can be done when its turn comes. */
const MOST_COMMANDS = 100;

/** Sequences of commands, each done by the model and on all of these databases, with one outcome. */
export function property(modelDatabases: readonly ModelDatabase[], replayPath?: string) {
  const given = replayPath === undefined ? {} : { replayPath };
  const mixes = MIXES.map((commands) =>
    fc.commands<Model, Worlds, false>(
      commands.map((arbitrary) => arbitrary.map((command) => new Step(command))),
      { maxCommands: MOST_COMMANDS, size: 'max', ...given },
    ),
  );
  return fc.asyncProperty(fc.oneof(...mixes), async (sequence) => {
    const model = new Model();
    const worlds = new Worlds(modelDatabases);
    try {
      await fc.asyncModelRun(() => ({ model, real: worlds }), sequence);
      // What is left in the tables when everybody has gone.
      await worlds.end();
      model.end();
      await worlds.compare('at the end', model.apply({ do: 'look' }), (world) =>
        world.perform({ do: 'look' }),
      );
    } finally {
      await worlds.close();
    }
  });
}

function text(result: unknown): string {
  return JSON.stringify(result) ?? 'done';
}
