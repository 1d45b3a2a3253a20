import type { Uses } from '../driver/driver.js';
import type { PartsPage, QueuePart } from '../driver/queue-parts.js';

/** How many parts a look finds. A round sweeps no more than half of them if each has work. */
const PAGE = 100;

/** The most parts of a turn that are remembered. */
const MOST = 1_000;

export interface PartPagesParts {
  readonly driver: Uses<{ admission: 'parts' }>;
  readonly queues: readonly string[];
}

export interface PartLook {
  readonly parts: readonly QueuePart[];
  /** Whether it is at the rows, and not at what an earlier one has left. */
  readonly isAnew: boolean;
  /** Whether these are all parts. */
  readonly isWhole: boolean;
  /** Whether it has begun at the first part. */
  readonly isFirst: boolean;
  /** The sweeps have come to this part: the next look begins behind it. Without effect if another round has gone on since. */
  reached(part: QueuePart): void;
  /** All are swept. Returns whether the next look is to go on, because more parts are behind these. */
  end(): boolean;
}

/** Where the next look begins. Each place is an object of its own. */
interface Place {
  /** Null: at the first part. */
  readonly behind: QueuePart | null;
}

/** Goes round the parts of a worker's queues, page by page. So each part has its turn, however many there are. */
export class PartPages {
  readonly #parts: PartPagesParts;
  #place: Place = { behind: null };
  /** The texts of the parts that the looks since the first part have found. */
  #found = new Set<string>();
  #all: ReadonlySet<string> | null = null;

  constructor(parts: PartPagesParts) {
    this.#parts = parts;
  }

  /** The texts of all parts, as the last look at the last part has left them. Null if there are very many. */
  get all(): ReadonlySet<string> | null {
    return this.#all;
  }

  /** One statement, and a step of it for each part. @throws DriverError */
  async look(): Promise<PartLook> {
    const { driver, queues } = this.#parts;
    let place = this.#place;
    const { behind } = place;
    const page = await driver.admission.parts({
      queues: queues.slice(behind === null ? 0 : queues.indexOf(behind.queue)),
      beyond: behind?.limits ?? '',
      limit: PAGE,
    });
    const isFirst = behind === null;
    if (this.#place === place) this.#note(isFirst, page);
    const isWhole = isFirst && page.last === null;
    const moveTo = (part: QueuePart | null): boolean => {
      if (isWhole || this.#place !== place) return false;
      this.#place = place = { behind: part };
      return true;
    };
    const end = (): boolean => moveTo(page.last) && page.last !== null;
    return { parts: page.parts, isAnew: true, isWhole, isFirst, reached: moveTo, end };
  }

  #note(isFirst: boolean, { parts, last }: PartsPage): void {
    if (isFirst) this.#found = new Set();
    for (const { limits } of parts) if (this.#found.size <= MOST) this.#found.add(limits);
    if (last === null) this.#all = this.#found.size <= MOST ? this.#found : null;
  }
}
