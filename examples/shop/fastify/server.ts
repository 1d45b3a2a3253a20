import { openShop } from './shop.js';

const app = openShop(process.env.DATABASE_URL);
// The requests end, then the runs, and then all else.
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => app.close());
console.log(await app.listen({ host: '0.0.0.0', port: Number(process.env.PORT ?? 3000) }));
