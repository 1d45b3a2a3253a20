/** What somebody can begin with who has nothing at hand. */
export const EXAMPLE = {
  title: 'Regatta supplies',
  cells: [
    ['Item', 'Pieces', 'Packed by'],
    ['Oars', '8', ''],
    ['Rowlocks', '8', ''],
    ['Life jackets', '9', ''],
  ],
};
