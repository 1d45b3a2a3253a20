/** Marks the place, in the WHERE of each statement that a caller's transaction may have, for the condition of `within`. */
export const WITHIN = '/* AND within a transaction */';

/** Some clients read a text as JSON where it looks so. */
export const JSON_TEXT = '{"as": "text"}';

/** Sets a mark that ends with the transaction: without one, that is at once. Its answer shows how texts come. Columns have one word, as libraries change others. */
export const MARK = `SELECT set_config('rowlock.joined', 'on', true) AS answer, '${JSON_TEXT}' AS json`;

const JOINED = "current_setting('rowlock.joined', true)";

/** The server quotes it in its error: see `within`. */
export const NOT_WITHIN = 'rowlock: no transaction is open';

/**
 * The statement as a caller's client sends it, with a condition that fails unless the mark is set: in a transaction
 * without the mark, and in none. An error of a cast, since a WHERE that is false would look like a statement that finds
 * nothing.
 */
export function within(text: string): string {
  const condition = `(CASE ${JOINED} WHEN 'on' THEN 'true' ELSE '${NOT_WITHIN}' || coalesce(${JOINED}, '') END)::boolean`;
  return valuesAsTexts(text).replace(WITHIN, `AND ${condition}`);
}

/**
 * Some clients encode values by the types that the server names, and would write JSON, or an array, a second time. So the
 * server gets texts, and casts them. An enqueue of a thousand jobs then takes half as long again.
 */
function valuesAsTexts(text: string): string {
  return text.replaceAll(/(\$\d+)::(?!text\b(?!\[))/g, '$1::text::');
}
