#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { type EmulatorOptions, startGoogleSheetsEmulator } from './emulator.js';

const USAGE = `Usage: google-sheets-emulator [--port 0] [--host 127.0.0.1] [--public-url URL] [--data FILE]
Prints its address and runs until it is interrupted.`;

try {
  const options = readOptions();
  if (!options) console.log(USAGE);
  else await run(options);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

async function run(options: EmulatorOptions): Promise<void> {
  const emulator = await startGoogleSheetsEmulator(options);
  console.log(emulator.url);
  const stop = () => {
    emulator.close().catch((error: unknown) => {
      console.error(String(error));
      process.exitCode = 1;
    });
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
}

function readOptions(): EmulatorOptions | undefined {
  const { values } = parseArgs({
    options: {
      port: { type: 'string', default: '0' },
      host: { type: 'string', default: '127.0.0.1' },
      'public-url': { type: 'string' },
      data: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return undefined;
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new Error(`--port is a number from 0 to 65535, not "${values.port}".`);
  }
  return {
    port,
    host: values.host,
    ...(values['public-url'] !== undefined && { publicUrl: values['public-url'] }),
    ...(values.data !== undefined && { dataFile: values.data }),
  };
}
