import { useRef, useState } from 'preact/hooks';

/** The jobs that were chosen: some by their ids, or all that the filter means. */
export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
  choose(id: string, isChosen: boolean): void;
  /** Gives all rows between the one that was chosen last and this one what this one gets. */
  chooseTo(id: string, isChosen: boolean): void;
  /** Adds two neighbours. */
  choosePair(id: string, next: string): void;
  /** All rows of the page, or none. */
  choosePage(isChosen: boolean): void;
  chooseAll(): void;
  clear(): void;
}

interface Chosen {
  /** The address of the page. */
  readonly of: string;
  readonly ids: ReadonlySet<string>;
  readonly isAll: boolean;
}

/**
 * @param of The address of the page: another one begins with nothing.
 * @param page The ids of its rows, in their order. What is not there any more is not chosen.
 */
export function useSelection(of: string, page: readonly string[]): Selection {
  const none: Chosen = { of, ids: new Set(), isAll: false };
  const [chosen, setChosen] = useState(none);
  const last = useRef('');
  const { ids, isAll } = chosen.of === of ? chosen : none;
  const seen = page.filter((id) => ids.has(id));

  function set(some: readonly string[], isChosen: boolean): void {
    last.current = some.at(-1) ?? '';
    const others = seen.filter((id) => !some.includes(id));
    setChosen({ ...none, ids: new Set(isChosen ? [...others, ...some] : others) });
  }

  return {
    ids: new Set(seen),
    isAll,
    choose: (id, isChosen) => set([id], isChosen),
    chooseTo(id, isChosen) {
      const to = page.indexOf(id);
      const from = page.indexOf(last.current);
      const range = from < 0 ? [id] : page.slice(Math.min(from, to), Math.max(from, to) + 1);
      set([...range.filter((each) => each !== id), id], isChosen);
    },
    choosePair: (id, next) => set([id, next], true),
    choosePage: (isChosen) => set(page, isChosen),
    chooseAll: () => setChosen({ ...none, isAll: true }),
    clear: () => setChosen(none),
  };
}
