import { isConsistent } from './consistency.ts';
import { depositName, headFileName } from './deposit-file.ts';
import { BadJws, type Jwks } from './jws.ts';
import { verifyHead, type SignedHead } from './log-head.ts';
import { BadTimestamp, verifyTimestamp, type Timestamp } from './timestamp.ts';

export type DepositFile = { readonly name: string; readonly bytes: Buffer };

export type DepositTrust = {
  /** Keys of the service that were kept; null for none. */
  readonly keys: Jwks | null;
  /** Certificates of timestamp authorities, DER. */
  readonly authorities: readonly Buffer[];
};

export type VerifiedDeposit = {
  readonly name: string;
  readonly head: SignedHead;
  /** Whether the key is among the kept ones. */
  readonly trusted: boolean;
  readonly timestamp: Timestamp | null;
  /**
   * Whether its proof shows that it continues the previous deposit; null where that is not the head that the proof is
   * for.
   */
  readonly goesOn: boolean | null;
};

/** A deposit that is not what it should be. The message begins with the file's name. */
export class BadDeposit extends Error {
  override readonly name = 'BadDeposit';
}

/**
 * Verifies the files of a folder of deposits, without a server: each head is signed and states its size, each continues
 * the one before, each timestamp is over the head next to it.
 * @returns in the order of the log
 * @throws BadDeposit
 */
export const verifyDeposits = async (
  files: readonly DepositFile[],
  trust: DepositTrust,
): Promise<readonly VerifiedDeposit[]> => {
  const stranger = files.find(({ name }) => !depositName.test(name));
  if (stranger) throw new BadDeposit(`${stranger.name} is neither a head nor a timestamp of one`);
  const byName = new Map(files.map((file) => [file.name, file]));
  const heads = files.filter(({ name }) => name.endsWith('.json')).toSorted(byOrder);
  const alone = files.find(({ name }) => name.endsWith('.tsr') && !byName.has(name.replace(/tsr$/, 'json')));
  if (alone) throw new BadDeposit(`${alone.name} is a timestamp whose head is missing`);
  const verified: VerifiedDeposit[] = [];
  for (const file of heads) {
    const found = await verifyDeposit(file, byName.get(file.name.replace(/json$/, 'tsr')) ?? null, trust);
    if (file.name !== headFileName(found.head.size))
      throw new BadDeposit(
        `${file.name} is over ${found.head.size} events, and its name says another number`,
      );
    const before = verified.at(-1);
    verified.push({ ...found, goesOn: before ? goesOnFrom(before, found) : null });
  }
  return verified;
};

/** One head, with the timestamp next to it where there is one. @throws BadDeposit */
export const verifyDeposit = async (
  { name, bytes }: DepositFile,
  timestampFile: DepositFile | null,
  { keys, authorities }: DepositTrust,
): Promise<Omit<VerifiedDeposit, 'goesOn'>> => {
  const { head, trusted } = await verifyHead(parsed(name, bytes), keys).catch((error: unknown) => {
    throw error instanceof BadJws ? new BadDeposit(`${name} ${error.message}`) : error;
  });
  const timestamp =
    timestampFile &&
    (await verifyTimestamp(timestampFile.bytes, bytes, authorities).catch((error: unknown) => {
      throw error instanceof BadTimestamp ? new BadDeposit(`${timestampFile.name} ${error.message}`) : error;
    }));
  return { name, head, trusted, timestamp };
};

const parsed = (name: string, bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new BadDeposit(`${name} is not JSON`);
  }
};

const byOrder = (one: DepositFile, other: DepositFile): number =>
  one.name.length - other.name.length || (one.name < other.name ? -1 : 1);

/** Null where a deposit between them is missing. @throws BadDeposit for one of another log */
const goesOnFrom = (before: VerifiedDeposit, next: Omit<VerifiedDeposit, 'goesOn'>): boolean | null => {
  if (next.head.previousSize !== before.head.size) return null;
  const proof = next.head.proof.map((hash) => Buffer.from(hash, 'hex'));
  if (isConsistent(sized(before.head), sized(next.head), proof)) return true;
  throw new BadDeposit(`${next.name} is of another log: it does not continue ${before.name}`);
};

const sized = ({ size, root }: SignedHead) => ({ size, root: Buffer.from(root, 'hex') });
