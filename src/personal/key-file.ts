import { createHash } from 'node:crypto';
import type { LiveKey } from './kept-key-table.ts';

/** The file is not what `keys backup` wrote, or not complete. */
export class KeyFileDamaged extends Error {
  override readonly name = 'KeyFileDamaged';
}

const format = 'grantbook-subject-keys';
const version = 1;

/** NDJSON: a header, a line for each key, and at the end their number and the digest of all lines before. */
export async function* writeKeyFile(
  pages: AsyncIterable<readonly LiveKey[]>,
  at: number,
): AsyncGenerator<string, number> {
  const digest = createHash('sha256');
  const line = (value: object): string => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  yield line({ format, version, at: new Date(at).toISOString() });
  let keys = 0;
  for await (const page of pages) {
    keys += page.length;
    yield page.map((key) => line(presentKey(key))).join('');
  }
  yield `${JSON.stringify({ keys, sha256: digest.digest('hex') })}\n`;
  return keys;
}

const presentKey = ({ subject, keyId, masterKeyId, wrapped }: LiveKey) => ({
  subject,
  key_id: keyId,
  master_key_id: masterKeyId,
  wrapped: Buffer.from(wrapped).toString('base64url'),
});

/** The keys of a file; only its end shows that it is complete. @throws KeyFileDamaged with the number of the line */
export async function* readKeyFile(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<LiveKey> {
  const digest = createHash('sha256');
  let number = 0;
  let keys = 0;
  let ended = false;
  for await (const { text, whole } of linesIn(chunks)) {
    number += 1;
    const damaged = (what: string) => new KeyFileDamaged(`line ${number} ${what}`);
    if (ended) throw damaged('comes after the end');
    const value = parseObject(text);
    if (!value || !whole) throw damaged('is cut or damaged');
    if (number === 1) {
      if (value['format'] !== format) throw damaged('does not say that this is a backup of keys');
      if (value['version'] !== version) throw damaged('is of a version that is not known here');
    } else if ('sha256' in value) {
      if (value['keys'] !== keys) throw damaged(`counts other keys than the ${keys} before it`);
      if (value['sha256'] !== digest.copy().digest('hex')) throw damaged('is not the digest of those before');
      ended = true;
    } else {
      const key = toKey(value);
      if (!key) throw damaged('is no key');
      keys += 1;
      yield key;
    }
    digest.update(`${text}\n`);
  }
  if (!ended) throw new KeyFileDamaged(`it is cut: it ends after line ${number}, without its digest`);
}

const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};

const toKey = (value: Readonly<Record<string, unknown>>): LiveKey | null => {
  const { subject, key_id: keyId, master_key_id: masterKeyId, wrapped } = value;
  const texts = [subject, keyId, masterKeyId, wrapped];
  if (!texts.every((text) => typeof text === 'string' && text !== '')) return null;
  return {
    subject: String(subject),
    keyId: String(keyId),
    masterKeyId: String(masterKeyId),
    wrapped: Buffer.from(String(wrapped), 'base64url'),
  };
};

/** Longer than any line of ours, so that a file without line ends is not read into memory completely. */
const longest = 1 << 16;

async function* linesIn(chunks: AsyncIterable<Uint8Array>) {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) yield { text, whole: true };
    if (rest.length > longest) break;
  }
  if (rest !== '') yield { text: rest, whole: false };
}
