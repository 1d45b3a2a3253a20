import { lockRows, transaction } from '@rowlock/rows/mysql';
import { createPool } from 'mysql2/promise';

const pool = createPool({ uri: process.env.DATABASE_URL ?? '' });
await pool.query('CREATE TABLE orders (id INT PRIMARY KEY, due INT NOT NULL)');
await pool.query('CREATE TABLE order_lines (order_id INT NOT NULL, amount INT NOT NULL, KEY (order_id))');
await pool.query('INSERT INTO orders VALUES (1, 0), (2, 0)');

// Adds a line to an order, and writes the total of all its lines.
async function addLine(id: number, amount: number, lock: boolean): Promise<void> {
  await transaction(pool, async (tx) => {
    // The right way: the second request for an order waits here until the first has committed.
    if (lock) await lockRows(tx, 'orders', { id });
    const [lines] = await tx.execute('SELECT amount FROM order_lines WHERE order_id = ?', [id]);
    if (!lock) await bothHaveRead();
    const due = lines.reduce((sum: number, line: { amount: number }) => sum + line.amount, amount);
    await tx.execute('INSERT INTO order_lines VALUES (?, ?)', [id, amount]);
    await tx.execute('UPDATE orders SET due = ? WHERE id = ?', [due, id]);
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
const [rows] = await pool.query('SELECT due FROM orders ORDER BY id');
console.log(rows); // [ { due: 1000 }, { due: 2000 } ]
await pool.end();
