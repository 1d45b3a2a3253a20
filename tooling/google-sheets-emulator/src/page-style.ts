/** The style sheet of the page: light and dark after the reader's system, usable with a thumb. */
export const PAGE_STYLE = `:root {
  color-scheme: light dark;
  --paper: light-dark(#ffffff, #15181c);
  --ink: light-dark(#1c2024, #e6e8ea);
  --faint: light-dark(#5b6470, #9aa4b0);
  --line: light-dark(#d4d9de, #363c44);
  --head: light-dark(#f1f4f6, #20252b);
  --accent: light-dark(#0b6b3a, #5fd39a);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.4 system-ui, sans-serif; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem 1rem; padding: .75rem 1rem; }
h1 { font-size: 1.25rem; margin: 0; overflow-wrap: anywhere; }
#status, .note { margin: 0; color: var(--faint); font-size: .875rem; }
#status[data-failed] { color: light-dark(#a40e26, #ff8f9c); font-weight: 600; }
.note { margin-left: auto; }
main { padding: 0 1rem 2rem; }
nav { display: flex; flex-wrap: wrap; gap: .75rem; padding-bottom: .5rem; }
nav a[aria-current] { font-weight: 600; text-decoration: none; }
.grid { overflow: auto; max-width: 100%; max-height: 78vh; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: separate; border-spacing: 0; }
th, td { border: 0 solid var(--line); border-width: 0 1px 1px 0; padding: 0; height: 2.25rem; }
thead th, thead td { position: sticky; top: 0; z-index: 2; background: var(--head); }
tbody th { position: sticky; left: 0; z-index: 1; background: var(--head); min-width: 2.75rem; }
th { font-weight: 500; font-size: .8125rem; color: var(--faint); }
td { min-width: 9rem; }
thead td { min-width: 2.75rem; left: 0; z-index: 3; }
td input { width: 100%; field-sizing: content; min-width: 9rem; max-width: 34rem; height: 2.25rem; padding: 0 .5rem; border: 0; background: none; color: inherit; font: inherit; }
td input.bold { font-weight: 700; }
td a { display: block; padding: .35rem .5rem; white-space: nowrap; color: var(--accent); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
button { font: inherit; padding: .5rem .9rem; min-height: 2.75rem; border: 1px solid var(--line); border-radius: 6px; background: var(--head); color: inherit; cursor: pointer; }
@media (max-width: 40rem) { header, main { padding-inline: .5rem; } td, td input { min-width: 7.5rem; } th, td, td input { height: 2.75rem; } }
`;
