import type { Json } from '@rowlock/core';
import { useState } from 'preact/hooks';
import { type Field, fieldsOf } from './fields.js';
import { filledWith, jsonIn, messageOf, payloadOf, type Read, startOf, type Typed } from './typed.js';

/** A payload that is being typed, in fields or as JSON. */
export interface TypedPayload {
  /** Null where the schema gives no form. */
  readonly fields: readonly Field[] | null;
  readonly typed: Typed;
  /** The JSON that is typed. Null while the fields are. */
  readonly text: string | null;
  type(name: string, value: string | boolean): void;
  write(text: string): void;
  /** Goes on as JSON, or in fields. Returns why not: the other has no place for what was typed. */
  turn(): string;
  read(): Read;
}

/** @param before What the fields are filled with. */
export function usePayload(schema: Json | null, before: Json | undefined): TypedPayload {
  const [fields] = useState(() => fieldsOf(schema));
  const [typed, setTyped] = useState<Typed>(() => begunWith(fields, before) ?? {});
  const [text, setText] = useState<string | null>(() =>
    begunWith(fields, before) === null ? JSON.stringify(before ?? {}, null, 2) : null,
  );

  function read(): Read {
    if (fields !== null && text === null) return payloadOf(fields, typed);
    try {
      return { payload: jsonIn(text ?? ''), issues: [] };
    } catch (error) {
      return { payload: null, issues: [{ path: [], message: messageOf(error) }] };
    }
  }

  return {
    fields,
    typed,
    text,
    type: (name, value) => setTyped((others) => ({ ...others, [name]: value })),
    write: setText,
    turn() {
      const { payload, issues } = read();
      if (issues.length > 0) return 'First change what cannot be read.';
      if (text === null) {
        setText(JSON.stringify(payload, null, 2));
        return '';
      }
      const filled = fields && filledWith(fields, payload);
      if (filled === null) return 'The fields have no place for all of this.';
      setTyped(filled);
      setText(null);
      return '';
    },
    read,
  };
}

function begunWith(fields: readonly Field[] | null, before: Json | undefined): Typed | null {
  if (fields === null) return null;
  return before === undefined ? startOf(fields) : filledWith(fields, before);
}
