/** What went wrong, read aloud too. */
export function Notice({ text }: { readonly text: string }) {
  return (
    <p class="notice" role="alert">
      {text}
    </p>
  );
}
