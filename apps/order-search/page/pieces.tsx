/** A text of which every second piece was found. */
export function Pieces({ pieces }: { readonly pieces: readonly string[] }) {
  return (
    <>
      {pieces.map((piece, index) => {
        if (piece === '') return null;
        return index % 2 === 0 ? piece : <mark key={index}>{piece}</mark>;
      })}
    </>
  );
}
