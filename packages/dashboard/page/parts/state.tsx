/** A state or an outcome, as a word with its colour. */
export function State({ of: state }: { readonly of: string }) {
  return <span class={`state ${state}`}>{state}</span>;
}
