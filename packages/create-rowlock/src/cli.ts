#!/usr/bin/env node
import { main } from '@rowlock/cli';

await main(['init', ...process.argv.slice(2)]);
