import { StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Rowlock } from '@rowlock/core';
import { sql } from 'kysely';
import { TABLES } from '../shared/tables.js';
import { Database } from './database.js';
import { ShopModule } from './shop.js';

const app = await NestFactory.create(ShopModule, { logger: ['warn', 'error'] });
app.useGlobalPipes(new StandardSchemaValidationPipe());
app.enableShutdownHooks([], { useProcessExit: true }); // the runs end, then the requests, then all else
for (const statement of TABLES) await sql.raw(statement).execute(app.get(Database));
await app.get(Rowlock).migrate();
await app.get(Rowlock).captures.apply();
await app.listen(Number(process.env.PORT ?? 3000)); // starts the worker too
console.log(await app.getUrl());
