/** A text of several lines, which scrolls by itself. */
export function Lines({ text }: { readonly text: string }) {
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard in every browser.
  return <pre tabIndex={0}>{text}</pre>;
}

/** Where an error was thrown. */
export function Stack({ text }: { readonly text: string }) {
  return <Lines text={text.replaceAll(/^\s+at /gm, '  at ')} />;
}
