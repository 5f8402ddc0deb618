import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CliIo } from './cli-io.ts';

/** In bytes. No password is this long; more input is a mistake, such as a whole file. */
const maxBytes = 4096;

/** On a terminal it prompts without echo, otherwise it reads one line. Empty when there is no input. */
export const readPassword = (io: CliIo, prompt = 'Password: '): Promise<string> =>
  io.stdin.isTTY === true ? askWithoutEcho(io, prompt) : firstLine(io);

const askWithoutEcho = ({ stdin, stderr }: CliIo, prompt: string): Promise<string> => {
  stderr.write(prompt);
  // readline needs an output to control the echo; this one discards it.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: stdin, output: nowhere, terminal: true });
  return new Promise((resolve) => {
    lines.once('line', (line) => {
      resolve(line);
      lines.close();
    });
    lines.once('SIGINT', () => lines.close());
    lines.once('close', () => {
      stderr.write('\n');
      resolve('');
    });
  });
};

const firstLine = async ({ stdin }: CliIo): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxBytes) break;
  }
  return (Buffer.concat(chunks).toString('utf8').split('\n')[0] ?? '').replace(/\r$/, '');
};
