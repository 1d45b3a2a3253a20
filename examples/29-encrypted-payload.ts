import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { type Codec, createRowlock } from '@rowlock/core';
import { defineHandler, postgres } from '@rowlock/driver-postgres';
import { z } from 'zod';

/** AES-256-GCM. The first key encodes, and all of them decode: keys of 32 bytes, by ids that are kept beside the text. */
function aes(keys: ReadonlyMap<string, Buffer>): Codec {
  return {
    encode(json) {
      const [[id, key] = ['', Buffer.of()]] = keys;
      const nonce = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const sealed = Buffer.concat([nonce, cipher.update(json, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${id}:${sealed.toString('base64')}`;
    },
    decode(encoded) {
      const [id = '', text = ''] = encoded.split(':');
      const key = keys.get(id);
      if (key === undefined) throw new Error(`there is no key ${id}`);
      const sealed = Buffer.from(text, 'base64');
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12), { authTagLength: 16 });
      decipher.setAuthTag(sealed.subarray(-16));
      return decipher.update(sealed.subarray(12, -16), undefined, 'utf8') + decipher.final('utf8');
    },
  };
}

const [october, november] = [randomBytes(32), randomBytes(32)]; // of a secret store
const codec = aes(new Map(Object.entries({ '2026-11': november, '2026-10': october })));
const payload = z.object({ to: z.string(), code: z.string() });
const Mail = defineHandler({ kind: 'mail', payload, codec, run: ({ job }) => job.payload.to });
const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Mail] });
await rowlock.migrate();
const { publicId } = await rowlock.enqueue(Mail, { payload: { to: 'ada', code: '4711' } });
console.log(Object.keys(Object((await rowlock.find(publicId))?.payload))); // [ 'rowlock.encoded' ]
await rowlock.worker().start();
console.log((await rowlock.settled(Mail, publicId)).output); // ada
await rowlock.close();
