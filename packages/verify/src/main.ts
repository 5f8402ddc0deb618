#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { reportText, UnreadableFile, verifyFile } from './verify-file.ts';

const usage = `grantbook-verify FILE [--jwks FILE] [--head FILE] [--timestamp-ca FILE] [--json]

Verifies, without a server, an export, a signed head of the log, or a folder of deposited heads.
  --jwks FILE          public keys of the service, stored earlier (GET /oauth/jwks)
  --head FILE          a stored head: checks that the events are in that log or its continuation
  --timestamp-ca FILE  certificates of the timestamp authority (PEM)
  --json               one JSON document
Exit code: 0 nothing was changed, 1 something is wrong, 2 a wrong argument or an unreadable file.
`;

const misused = (message: string): number => {
  process.stderr.write(`error: ${message}\n`);
  return 2;
};

const argumentsOf = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      jwks: { type: 'string' },
      head: { type: 'string' },
      'timestamp-ca': { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });

const run = async (args: readonly string[]): Promise<number> => {
  let read: ReturnType<typeof argumentsOf>;
  try {
    read = argumentsOf(args);
  } catch (error) {
    return misused(error instanceof Error ? error.message : String(error));
  }
  const { values, positionals } = read;
  if (values.help) {
    process.stdout.write(usage);
    return 0;
  }
  const [file, ...more] = positionals;
  if (file === undefined || more.length > 0) return misused('name one file or folder; see --help');
  const { jwks, head, 'timestamp-ca': timestampCa } = values;
  try {
    const report = await verifyFile(file, {
      ...(jwks !== undefined && { jwks }),
      ...(head !== undefined && { head }),
      ...(timestampCa !== undefined && { timestampCa }),
    });
    process.stdout.write(`${values.json ? JSON.stringify(report.json) : reportText(report)}\n`);
    return report.ok ? 0 : 1;
  } catch (error) {
    if (error instanceof UnreadableFile) return misused(error.message);
    throw error;
  }
};

process.exitCode = await run(process.argv.slice(2));
