interface Props {
  readonly title: string;
  readonly chosen: string | null;
  readonly names: readonly string[];
  /** What stands for none of them. Without it one must be chosen. */
  readonly none?: string;
  readonly onChoose: (name: string) => void;
}

/** A choice of names, which has the chosen one even if it is not known. */
export function Choice({ title, chosen, names, none, onChoose }: Props) {
  const all = [...new Set([...(chosen === null ? [] : [chosen]), ...names])].toSorted();
  return (
    <label class="inline">
      {title}
      <select value={chosen ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {all.map((each) => (
          <option value={each} key={each}>
            {each}
          </option>
        ))}
      </select>
    </label>
  );
}
