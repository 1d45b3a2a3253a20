import { Checkout } from './checkout.mjs';
import { Servers } from './servers.mjs';
import { Subject } from './subjects.mjs';
import { SYSTEMS } from './systems.mjs';

/** The stage was closed while something was played on it. */
export class Interrupted extends Error {
  name = 'Interrupted';
}

/** What a measure stands on: its servers, and the systems in their processes. All of it ends with `close`. */
export class Stage {
  options;
  #servers;
  #subjects = new Map();
  #crews = new Map();
  #fresh = new Set();
  #checkout;
  #isClosed = false;

  /** @param settings Settings of the servers, by database */
  constructor(options, settings) {
    this.options = options;
    this.#servers = new Servers(settings);
  }

  get servers() {
    return this.#servers;
  }

  /** The systems of a database that take part in a measure, each with each of its settings. */
  entries(measure, database) {
    const { withPeers, peersProblem, systems, quick } = this.options;
    const home = (system) => (system.database === 'redis' ? 'postgres' : system.database);
    return SYSTEMS.filter((system) => home(system) === database && (withPeers || !system.isPeer))
      .filter(({ name }) => systems.length === 0 || systems.some((part) => name.toLowerCase().includes(part)))
      .flatMap((system) =>
        system.settings
          .filter((setting) => setting.in.includes(measure))
          .filter(({ shape }, place) => !quick || place === 0 || shape === 'writes')
          .map((setting) => ({
            system,
            setting,
            title: `${system.name}, ${setting.name}`,
            problem: system.isPeer ? peersProblem : null,
          })),
      );
  }

  /** How long a measure may take on a database, in milliseconds: each entry has the same part of all there is. */
  budgetMs(measure, database) {
    const { budgetMs, databases } = this.options;
    const entries = (name) => this.entries(measure, name).length;
    const all = databases.reduce((sum, name) => sum + entries(name), 0);
    return (budgetMs * entries(database)) / Math.max(1, all);
  }

  /** Gives a system an empty database, and takes it away again. @throws Missing, Interrupted */
  play(entry, work) {
    return this.withDatabase(entry.system.database, (url) => this.playIn(entry, url, work));
  }

  /** An empty database for as long as `work` takes. @throws Missing, Interrupted */
  async withDatabase(name, work) {
    if (this.#isClosed) throw new Interrupted();
    const database = await this.#servers.fresh(name);
    try {
      return await work(database.url);
    } catch (error) {
      throw this.#isClosed ? new Interrupted() : error;
    } finally {
      await database.drop().catch(() => {});
    }
  }

  /** Opens a system on a database, and closes it again. @throws Interrupted */
  async playIn(entry, url, work) {
    if (this.#isClosed) throw new Interrupted();
    return playWith(await this.#subject(entry.system), entry, url, work);
  }

  /** As `playIn`, in a process that has just started and ends with `work`. @throws Interrupted */
  async playFresh(entry, url, work) {
    if (this.#isClosed) throw new Interrupted();
    const subject = await Subject.start(entry.system.module);
    this.#fresh.add(subject);
    try {
      return await playWith(subject, entry, url, work);
    } finally {
      await subject.end();
      this.#fresh.delete(subject);
    }
  }

  /** Further processes of a system, at least so many; they are kept until the end. */
  async crew(system, processes) {
    const alive = (this.#crews.get(system.module) ?? []).filter(({ isAlive }) => isAlive);
    const missing = Math.max(0, processes - alive.length);
    const started = await Promise.all(Array.from({ length: missing }, () => Subject.start(system.module)));
    const crew = [...alive, ...started];
    this.#crews.set(system.module, crew);
    return crew.slice(0, processes);
  }

  /** The folder of another commit of Rowlock, installed and built, for as long as this is open. */
  checkout(commit) {
    this.#checkout ??= new Checkout(commit);
    return this.#checkout.ready;
  }

  /** How many seconds of a core the server has used so far; not a number where that cannot be counted. */
  serverCpuSeconds(database) {
    const systems = this.#all.map(({ pid }) => pid);
    return this.#servers.cpuSeconds(database, systems);
  }

  async close() {
    this.#isClosed = true;
    await Promise.all(this.#all.map((subject) => subject.end()));
    await Promise.all([this.#servers.stop(), this.#checkout?.remove()]);
  }

  get #all() {
    return [...this.#subjects.values(), ...[...this.#crews.values()].flat(), ...this.#fresh];
  }

  async #subject(system) {
    // One that has crashed has failed one entry, and not those after it.
    if (!this.#subjects.get(system)?.isAlive) this.#subjects.set(system, await Subject.start(system.module));
    return this.#subjects.get(system);
  }
}

async function playWith(subject, { system, setting }, url, work) {
  const call = (verb, given) => subject.call(verb, given);
  await call('open', opening(system, setting, url));
  let result;
  try {
    result = await work({ call, url });
  } catch (error) {
    // Of one that has crashed, what it crashed of is to be told.
    await call('close').catch(() => {});
    throw error;
  }
  await call('close');
  return result;
}

/** What a system's module is told when it is opened. */
export function opening({ database }, setting, url) {
  const { name: _name, shape: _shape, in: _in, reference: _reference, ...options } = setting;
  return { database, url, ...options };
}
