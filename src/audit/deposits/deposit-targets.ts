import { headFileName, timestampFileOf, BadTimestamp, timestampRequest, verifyTimestamp } from '#verify';
import { makeFetch } from '../../common/outgoing/outgoing.ts';
import { noProxies } from '../../common/outgoing/proxies.ts';
import type { Config } from '../../config/config.ts';
import type { KafkaClient } from '../../kafka/kafka-client.ts';
import { headFileText } from '../log-heads/read-heads.ts';
import type { DepositTarget } from './deposit-heads.ts';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Where the settings require signed heads of the log to be kept. `connect` is null without brokers. */
export const makeDepositTargets = (
  {
    headDeposits: { directory, topic, timestampAuthority },
    proxies,
  }: Pick<Config, 'headDeposits' | 'proxies'>,
  connect: (() => KafkaClient) | null,
) => {
  const client = topic === null ? null : (connect?.() ?? null);
  return {
    targets: [
      ...(directory === null ? [] : [toDirectory(directory)]),
      ...(directory === null || timestampAuthority === null
        ? []
        : [toAuthority(timestampAuthority, directory, makeFetch(proxies))]),
      ...(topic === null || client === null ? [] : [toTopic(client, topic)]),
    ],
    close: async () => client?.close(),
  };
};

export const toDirectory = (directory: string): DepositTarget => ({
  name: 'directory',
  deposit: (head) => writeDeposit(directory, headFileName(head.size), headFileText(head)),
});

/** The answer is stored next to the head. */
export const toAuthority = (url: string, directory: string, fetch = makeFetch(noProxies)): DepositTarget => ({
  name: 'timestamp',
  async deposit(head, signal) {
    const [name, text] = [headFileName(head.size), headFileText(head)];
    await writeDeposit(directory, name, text); // the timestamp is over the bytes in the file
    await writeDeposit(
      directory,
      timestampFileOf(name),
      await askAuthority(fetch, url, Buffer.from(text), signal),
    );
  },
});

export const toTopic = (client: Pick<KafkaClient, 'publish'>, topic: string): DepositTarget => ({
  name: 'topic',
  deposit: (head, signal) =>
    client.publish([{ topic, key: String(head.size), value: headFileText(head), headers: {} }], signal),
});

const patienceMs = 10_000;
/** More than any answer with a few certificates. */
const mostBytes = 64 * 1024;

/** Asks a timestamp authority (RFC 3161 §3.4) and checks the answer. @returns it, DER @throws BadTimestamp; Error when it cannot be reached */
const askAuthority = async (
  fetch: ReturnType<typeof makeFetch>,
  url: string,
  data: Buffer,
  signal: AbortSignal,
): Promise<Buffer> => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: new Uint8Array(timestampRequest(data)),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
  });
  if (!response.ok) throw new BadTimestamp(`is none: the authority answered ${response.status}`);
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body ?? []) {
    if ((length += chunk.length) > mostBytes) throw new BadTimestamp('is larger than 64 KiB');
    chunks.push(chunk);
  }
  const answer = Buffer.concat(chunks);
  await verifyTimestamp(answer, data);
  return answer;
};

/** Prefix of files that a process left behind when it ended while writing. */
const partial = '.head-';

/** Writes a deposit atomically and durably, and the folder where it is missing; the same bytes again are no error. @throws DepositDiffers */
const writeDeposit = async (folder: string, name: string, bytes: string | Buffer): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const file = join(folder, name);
  const there = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (there?.equals(Buffer.from(bytes))) return;
  if (there) throw new DepositDiffers(`${name} already exists with different content`);
  await tidy(folder);
  const unfinished = join(folder, `${partial}${name}`);
  const handle = await open(unfinished, 'w', 0o640);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
  await rename(unfinished, file);
  await flush(folder);
};

/** A deposit is never overwritten: somebody else wrote this one, or the log is another one. */
class DepositDiffers extends Error {
  override readonly name = 'DepositDiffers';
}

const tidy = async (folder: string): Promise<void> => {
  const left = (await readdir(folder)).filter((name) => name.startsWith(partial));
  await Promise.all(left.map((name) => rm(join(folder, name), { force: true })));
};

const flush = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};
