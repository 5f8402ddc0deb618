import { X509Certificate } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Manifest } from './export-format.ts';
import type { Jwks } from './jws.ts';
import {
  isDirectory,
  readHead,
  readJwks,
  readSmallFile,
  timestampBeside,
  whyUnreadable,
  type ComparedHead,
} from './kept-files.ts';
import {
  BadDeposit,
  verifyDeposit,
  verifyDeposits,
  type DepositFile,
  type DepositTrust,
  type VerifiedDeposit,
} from './verify-deposits.ts';
import { verifyExport, type Verdict } from './verify-export.ts';

export type VerifyOptions = {
  /** A file with the service's public keys (RFC 7517 §5), stored earlier. */
  readonly jwks?: string;
  /** A file with a head of the log: the events must be in that log or its continuation. */
  readonly head?: string;
  /** A file with certificates of the timestamp authority (PEM). */
  readonly timestampCa?: string;
};

/** What was found: a document for programs, and for people named facts and sentences. */
export type Report =
  | {
      readonly ok: true;
      readonly json: object;
      readonly facts: Readonly<Record<string, string>>;
      readonly sentences: readonly string[];
    }
  | { readonly ok: false; readonly code: string; readonly message: string; readonly json: object };

/** A report for people: facts below each other, then sentences; or what is wrong. */
export const reportText = (report: Report): string => {
  if (!report.ok) return `Refused: ${report.message}.`;
  const width = Math.max(0, ...Object.keys(report.facts).map((name) => name.length));
  const facts = Object.entries(report.facts).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...facts, ...report.sentences].join('\n');
};

/** A file that cannot be read, or is not what its option needs. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}

/**
 * Verifies, without a server, an export, a signed head with its timestamp, or a folder of deposits.
 * @throws UnreadableFile
 */
export const verifyFile = async (
  file: string,
  { jwks, head, timestampCa }: VerifyOptions,
): Promise<Report> => {
  const unreadable = await whyUnreadable(file);
  if (unreadable !== null && unreadable !== isDirectory)
    throw new UnreadableFile(`the file ${file} cannot be read: ${unreadable}`);
  const keys = jwks === undefined ? null : await readJwks(jwks);
  if (typeof keys === 'string') throw new UnreadableFile(`--jwks ${jwks} ${keys}`);
  const authorities = await readAuthorities(timestampCa);
  if (typeof authorities === 'string')
    throw new UnreadableFile(`--timestamp-ca ${timestampCa} ${authorities}`);
  if (unreadable === isDirectory || (await isHead(file)))
    return verifyDepositsAt(file, { keys, authorities });
  const found = head === undefined ? null : await readHead(head, keys, authorities);
  if (found && 'unreadable' in found) throw new UnreadableFile(`--head ${head} ${found.unreadable}`);
  if (found && 'bad' in found) return failed('bad-head', `the head of ${head} ${found.bad}`);
  return verifyExportAt(file, keys, found);
};

const failed = (code: string, message: string, more: object = {}): Report => ({
  ok: false,
  code,
  message,
  json: { ...more, error: { code, message } },
});

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

const verifyDepositsAt = async (path: string, trust: DepositTrust): Promise<Report> => {
  try {
    const found = (await stat(path)).isDirectory()
      ? await verifyDeposits(await filesIn(path), trust)
      : [{ ...(await verifyOne(path, trust)), goesOn: null }];
    return found.length === 0 ? failed('no-deposits', `there is no head in ${path}`) : ofDeposits(found);
  } catch (error) {
    if (error instanceof BadDeposit)
      return failed('bad-deposit', `in ${dirname(join(path, 'x'))}, ${error.message}`);
    throw error;
  }
};

const verifyOne = async (path: string, trust: DepositTrust) =>
  verifyDeposit({ name: basename(path), bytes: await readFile(path) }, await timestampBeside(path), trust);

const ofDeposits = (found: readonly VerifiedDeposit[]): Report => {
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
  return {
    ok: true,
    json: { ok: true, heads: found.length, timestamps: stamped, deposits: items },
    facts: {},
    sentences: [
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
    ],
  };
};

const verifyExportAt = async (
  file: string,
  keys: Jwks | null,
  head: ComparedHead | null,
): Promise<Report> => {
  const verdict = await verifyExport(createReadStream(file), keys);
  const difference = verdict.ok && head ? differenceTo(head, verdict.manifest.log) : null;
  return difference === null ? ofExport(file, verdict, head) : failed('other-log', difference);
};

/** Why the events are not proved to be in the log of the head; null if they are. */
const differenceTo = ({ size, root }: ComparedHead, log: Manifest['log']): string | null => {
  if (!log) return 'the export does not prove the place of its events in the log: it was made without --head';
  const known = [log, log.head].find((one) => one.size === size);
  if (!known)
    return `the head covers ${size} events, but the export contains proofs only for heads over ${log.head.size} and ${log.size}`;
  return known.root === root
    ? null
    : `the export belongs to another log: its first ${size} events differ from those of the head`;
};

const ofExport = (file: string, verdict: Verdict, head: ComparedHead | null): Report => {
  if (!verdict.ok) {
    const { line, problem } = verdict;
    const error = { code: 'not-verified', message: `line ${line} ${problem}` };
    return {
      ok: false,
      code: error.code,
      message: `${file} was changed after the export: ${error.message}`,
      json: { ok: false, line, problem, error },
    };
  }
  const { manifest, kid, trusted } = verdict;
  const { organization, events, first, last, until, root, exportedAt, exportedBy } = manifest;
  return {
    ok: true,
    json: { ok: true, key: kid, key_is_known: trusted, in_log_of_head: head !== null, manifest },
    facts: {
      organization,
      events: `${events}${first === null || last === null ? '' : `, from ${first} to ${last}`}`,
      'log read to': until ?? 'its beginning: it was empty',
      exported: `${exportedAt} by ${exportedBy}`,
      root,
      key: kid,
    },
    sentences: [
      trusted
        ? 'Nothing was changed, removed or added since it was signed by this key, which is one of the given keys.'
        : "Nothing was changed since it was signed by the key contained in the file. Whether the key is the service's is not verified: pass the " +
          "service's public keys, stored earlier, with --jwks, or compare the id of the key.",
      ...(head
        ? [`The events are in the log of ${head.name} (${head.size} events) or its continuation.`]
        : []),
    ],
  };
};
