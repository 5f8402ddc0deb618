import { X509Certificate } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import {
  BadDeposit,
  verifyDeposit,
  verifyDeposits,
  type DepositFile,
  type DepositTrust,
  type VerifiedDeposit,
} from '../../audit/deposits/verify-deposits.ts';
import { answer, refused, type Answer } from '../base/answer.ts';
import { readSmallFile, timestampBeside } from './kept-files.ts';

/** The certificates of a file (DER), or the reason why there are none. */
export const readAuthorities = async (file: string | undefined): Promise<readonly Buffer[] | string> => {
  if (file === undefined) return [];
  const read = await readSmallFile(file);
  if (typeof read === 'string') return read;
  const found = read.text.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  try {
    return found.length === 0
      ? 'holds no certificate (PEM)'
      : found.map((pem) => new X509Certificate(pem).raw);
  } catch {
    return 'holds a certificate that cannot be read';
  }
};

/** Null when the path is neither a folder of deposits nor a head: then it is treated as an export. */
export const verifyDepositsAt = async (path: string, trust: DepositTrust): Promise<Answer | null> => {
  const isFolder = (await stat(path)).isDirectory();
  if (!isFolder && !(await isHead(path))) return null;
  try {
    const found = isFolder
      ? await verifyDeposits(await filesIn(path), trust)
      : [
          {
            ...(await verifyDeposit(
              { name: basename(path), bytes: await readFile(path) },
              await timestampBeside(path),
              trust,
            )),
            goesOn: null,
          },
        ];
    return found.length === 0 ? refused('no-deposits', `there is no head in ${path}`) : present(found);
  } catch (error) {
    if (error instanceof BadDeposit)
      return refused('bad-deposit', `in ${dirname(join(path, 'x'))}, ${error.message}`);
    throw error;
  }
};

/** A head is one JSON object over several lines; in an export, every line is one. */
const isHead = async (file: string): Promise<boolean> => {
  const read = await readSmallFile(file);
  if (typeof read === 'string') return false;
  try {
    const value: unknown = JSON.parse(read.text);
    return typeof value === 'object' && value !== null && 'jws' in value;
  } catch {
    return false;
  }
};

const filesIn = async (folder: string): Promise<readonly DepositFile[]> => {
  const names = (await readdir(folder)).toSorted();
  return Promise.all(names.map(async (name) => ({ name, bytes: await readFile(join(folder, name)) })));
};

const present = (found: readonly VerifiedDeposit[]): Answer => {
  const items = found.map(({ name, head, trusted, timestamp, goesOn }) => ({
    file: name,
    size: head.size,
    root: head.root,
    signed_at: new Date(head.at).toISOString(),
    key_is_known: trusted,
    goes_on_from_the_one_before: goesOn,
    timestamp: timestamp && {
      at: new Date(timestamp.at).toISOString(),
      authority: timestamp.authority,
      authority_is_known: timestamp.trusted,
    },
  }));
  const stamped = found.filter(({ timestamp }) => timestamp !== null).length;
  const apart = found.slice(1).filter(({ goesOn }) => goesOn === null).length;
  const last = found.at(-1)?.head;
  return answer(
    { ok: true, heads: found.length, timestamps: stamped, deposits: items },
    [
      `${found.length} signed heads, the last one covers ${last?.size} events; ${stamped} have a timestamp. None was changed.`,
      ...(apart > 0
        ? [
            `For ${apart} of them, consistency with the previous head cannot be shown, because heads in between are missing here.`,
          ]
        : []),
      ...(found.every(({ trusted }) => trusted)
        ? []
        : ["The signing key is not verified: pass the service's public keys, stored earlier, with --jwks."]),
      ...(stamped > 0 && !found.every(({ timestamp }) => timestamp?.trusted ?? true)
        ? ['The timestamp authority is not verified: pass its certificate with --timestamp-ca.']
        : []),
    ].join('\n'),
  );
};
