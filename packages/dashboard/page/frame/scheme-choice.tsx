import { useState } from 'preact/hooks';
import { chooseScheme, chosenScheme, type Scheme } from './scheme.js';

const CHOICES: readonly (readonly [scheme: Scheme, text: string])[] = [
  ['', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** A choice of the colours, kept in this browser. */
export function SchemeChoice() {
  const [scheme, setScheme] = useState(chosenScheme);
  return (
    <select
      aria-label="Colours"
      value={scheme}
      onChange={({ currentTarget }) => {
        const chosen = CHOICES.find(([each]) => each === currentTarget.value)?.[0] ?? '';
        chooseScheme(chosen);
        setScheme(chosen);
      }}
    >
      {CHOICES.map(([each, text]) => (
        <option value={each} key={each}>
          {text}
        </option>
      ))}
    </select>
  );
}
