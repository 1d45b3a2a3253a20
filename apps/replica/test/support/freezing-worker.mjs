// A worker that freezes once, between its reading and its writing. It says when it has read, and whether it could write.
import { mysqlSource } from '../../dist/mysql-source.js';
import { MysqlTarget } from '../../dist/mysql-target.js';
import { postgresSource } from '../../dist/postgres-source.js';
import { PostgresTarget } from '../../dist/postgres-target.js';

const tell = (message) => new Promise((resolve) => process.send(message, resolve));

let isFrozen = false;
for (const source of [postgresSource, mysqlSource]) {
  const { read } = source;
  source.read = async (id, tx) => {
    const item = await read(id, tx);
    if (isFrozen) return item;
    isFrozen = true;
    await tell({ read: item.name });
    process.kill(process.pid, 'SIGSTOP');
    return item;
  };
}

for (const { prototype } of [PostgresTarget, MysqlTarget]) {
  const { write } = prototype;
  prototype.write = async function (...row) {
    const wrote = await write.apply(this, row);
    await tell({ wrote });
    return wrote;
  };
}

await import('../../dist/worker.js');
