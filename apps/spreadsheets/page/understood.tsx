import { ENCODINGS, type Encoding } from './encoding.js';
import { Notice } from './notice.js';
import { SEPARATORS, type Separator } from './separators.js';
import { type Chosen, isTooLarge, MOST, type Table } from './table.js';

interface Props {
  readonly name: string;
  readonly table: Table;
  /** Reads the file once more. */
  readonly onChoose: (chosen: Chosen) => void;
}

const ENCODING_NAMES: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little endian',
  'utf-16be': 'UTF-16, big endian',
  'windows-1252': 'Western European (windows-1252)',
  'windows-1250': 'Central European (windows-1250)',
  'windows-1251': 'Cyrillic (windows-1251)',
};

const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  '\t': 'tab',
  ';': 'semicolon',
  ',': 'comma',
  '|': 'vertical bar',
};

const ONE_COLUMN = '';

/** What was understood of a file, and a choice of how else it can be read. */
export function Understood({ name, table, onChoose }: Props) {
  const { encoding, separator, rows, columns } = table;
  const chosen = { separator, ...(encoding && { encoding }) };
  return (
    <fieldset class="understood">
      <legend>{`${name}: ${counted(columns, 'column')}, ${counted(rows, 'row')}`}</legend>
      <label>
        Encoding
        <select
          value={encoding}
          onChange={({ currentTarget }) => {
            const found = ENCODINGS.find((each) => each === currentTarget.value);
            if (found) onChoose({ ...chosen, encoding: found });
          }}
        >
          {ENCODINGS.map((each) => (
            <option key={each} value={each}>
              {ENCODING_NAMES[each]}
            </option>
          ))}
        </select>
      </label>
      <label>
        Separator
        <select
          value={separator ?? ONE_COLUMN}
          onChange={({ currentTarget }) =>
            onChoose({ ...chosen, separator: separatorAt(currentTarget.value) })
          }
        >
          {SEPARATORS.map((each) => (
            <option key={each} value={each}>
              {SEPARATOR_NAMES[each]}
            </option>
          ))}
          <option value={ONE_COLUMN}>none, one column</option>
        </select>
      </label>
      {isTooLarge(table) && (
        <Notice
          text={`A spreadsheet takes up to ${counted(MOST.rows, 'row')} and ${counted(MOST.columns, 'column')}. Take a smaller file.`}
        />
      )}
    </fieldset>
  );
}

function separatorAt(value: string): Separator {
  return SEPARATORS.find((each) => each === value);
}

function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}
