import { lockRows, transaction } from '@rowlock/rows/postgres';
import pg from 'pg';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL });
await pool.query('CREATE TABLE orders (id int PRIMARY KEY, due int NOT NULL)');
await pool.query('CREATE TABLE lines (order_id int REFERENCES orders, amount int NOT NULL)');
await pool.query('INSERT INTO orders VALUES (1, 0), (2, 0)');

// Adds a line to an order, and writes the total of all its lines.
async function addLine(id: number, amount: number, lock: boolean): Promise<void> {
  await transaction(pool, async (tx) => {
    // The right way: the second request for an order waits here until the first has committed.
    if (lock) await lockRows(tx, 'orders', { id }, { strength: 'no key update' });
    const { rows } = await tx.query<{ amount: number }>('SELECT amount FROM lines WHERE order_id = $1', [id]);
    if (!lock) await bothHaveRead();
    const due = rows.reduce((sum, line) => sum + line.amount, amount);
    await tx.query('INSERT INTO lines VALUES ($1, $2)', [id, amount]);
    await tx.query('UPDATE orders SET due = $2 WHERE id = $1', [id, due]);
  });
}

// What happens now and then by itself: both requests read before either writes.
const readers: (() => void)[] = [];
function bothHaveRead(): Promise<void> {
  return new Promise((resolve) => {
    readers.push(resolve);
    if (readers.length === 2) for (const goOn of readers) goOn();
  });
}

await Promise.all([addLine(1, 1000, false), addLine(1, 1000, false)]);
await Promise.all([addLine(2, 1000, true), addLine(2, 1000, true)]);
const { rows } = await pool.query('SELECT due FROM orders ORDER BY id');
console.log(rows); // [ { due: 1000 }, { due: 2000 } ]
await pool.end();
