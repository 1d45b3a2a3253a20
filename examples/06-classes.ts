import { createRowlock } from '@rowlock/core';
import { TRANSACTION, tsyringe } from '@rowlock/core/tsyringe';
import { defineHandler, type PostgresTransaction, postgres } from '@rowlock/driver-postgres';
import { inject, injectable } from 'tsyringe';
import { z } from 'zod';

const CountLetters = z.object({ word: z.string() });

@injectable()
class Letters {
  // The open transaction of the claim: registered in a container that is made for this run alone.
  constructor(@inject(TRANSACTION) private readonly tx: PostgresTransaction) {}

  async count(word: string): Promise<number> {
    const { rows } = await this.tx.query<{ letters: number }>('SELECT length($1) AS letters', [word]);
    return rows[0]?.letters ?? 0;
  }
}

@injectable()
class LetterCounter {
  constructor(@inject(Letters) private readonly letters: Letters) {}

  run({ job }: { job: { payload: z.output<typeof CountLetters> } }) {
    return this.letters.count(job.payload.word);
  }
}

const Count = defineHandler({ kind: 'letters.count', payload: CountLetters, use: LetterCounter });
const driver = postgres({ connectionString: process.env.DATABASE_URL });
const rowlock = createRowlock({ driver, handlers: [Count], resolve: tsyringe() });
await rowlock.migrate();
const worker = rowlock.worker();
const settled = new Promise((resolve) => worker.on('settled', resolve));
await worker.start();
const { publicId } = await rowlock.enqueue(Count, { payload: { word: 'rowlock' } });
await settled;
console.log((await rowlock.find(Count, publicId))?.output); // 7
await rowlock.close();
