/** Those that a CSV file is likely to have; any other is a choice of the person. */
export const ENCODINGS = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
] as const;

const LOOKED_AT = 4_096;

export type Encoding = (typeof ENCODINGS)[number];

/** How a text is most likely encoded: by its byte order mark, its zeros, or else as UTF-8 where it can be that. */
export function encodingOf(bytes: Uint8Array): Encoding {
  const [first, second, third] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  // A text has no zeros, but half of each line end and each comma in UTF-16 is one.
  const [high, low] = [zerosAt(bytes, 0), zerosAt(bytes, 1)];
  if (high + low > 0) return high > low ? 'utf-16be' : 'utf-16le';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

/** How many of the first bytes at even (0) or odd places are zero. */
function zerosAt(bytes: Uint8Array, parity: 0 | 1): number {
  return bytes.subarray(0, LOOKED_AT).filter((byte, place) => byte === 0 && place % 2 === parity).length;
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
