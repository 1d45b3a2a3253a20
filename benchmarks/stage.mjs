import { Servers } from './servers.mjs';
import { Subject } from './subjects.mjs';
import { SYSTEMS } from './systems.mjs';

/** What a measure stands on: its servers, and the systems in their processes. All of it ends with `close`. */
export class Stage {
  options;
  #servers;
  #subjects = new Map();

  /** @param server Settings for Postgres */
  constructor(options, server) {
    this.options = options;
    this.#servers = new Servers(server);
  }

  get servers() {
    return this.#servers;
  }

  /** The systems of a database that take part in a measure, each with each of its settings. */
  entries(measure, database) {
    const { withPeers, systems, quick } = this.options;
    const home = (system) => (system.database === 'redis' ? 'postgres' : system.database);
    return SYSTEMS.filter((system) => home(system) === database && (withPeers || !system.isPeer))
      .filter(({ name }) => systems.length === 0 || systems.some((part) => name.toLowerCase().includes(part)))
      .flatMap((system) =>
        system.settings
          .filter((setting) => setting.in.includes(measure))
          .slice(0, quick ? 1 : undefined)
          .map((setting) => ({ system, setting, title: `${system.name}, ${setting.name}` })),
      );
  }

  /** How long a round of an entry may take, in milliseconds, so that all rounds of a measure, and warming up, keep to the time. */
  shareMs(measure) {
    const { budgetMs, databases, rounds } = this.options;
    const entries = databases.flatMap((database) => this.entries(measure, database));
    return budgetMs / entries.length / (rounds + 0.7);
  }

  /** Gives a system an empty database, and takes it away again. @throws Missing */
  async play({ system, setting }, work) {
    const database = await this.#servers.fresh(system.database);
    try {
      const subject = await this.#subject(system);
      const call = (verb, given) => subject.call(verb, given);
      const { name: _name, shape: _shape, in: _in, reference: _reference, ...options } = setting;
      await call('open', { database: system.database, url: database.url, ...options });
      try {
        return await work({ call, url: database.url, subject });
      } finally {
        await call('close');
      }
    } finally {
      await database.drop();
    }
  }

  /** A further process of a system, which is ended by whoever asked for it, or with the stage. */
  async hire(system) {
    const subject = await Subject.start(system.module);
    this.#subjects.set(subject, subject);
    return subject;
  }

  get pids() {
    return [...this.#subjects.values()].map(({ pid }) => pid);
  }

  async close() {
    await Promise.all([...this.#subjects.values()].map((subject) => subject.end()));
    await this.#servers.stop();
  }

  async #subject(system) {
    if (!this.#subjects.has(system)) this.#subjects.set(system, await Subject.start(system.module));
    return this.#subjects.get(system);
  }
}
