import { timingSafeEqual } from 'node:crypto';
import { macFor, type TokenKeys } from '../commands/credentials/token-keys.ts';
import { recordedKey, type RecordedKey, type SigningKeyHistory } from '../domain/log/signing-key-history.ts';
import type { KeyRow } from './key-table.ts';
import { jwkText, readPublicJwk } from './public-jwk.ts';
import type { StoredKey } from './signing-key.ts';

/** Why a row is not trusted. `unknown-token-key`: it names a token key that this program does not have. */
export type Distrust = 'malformed' | 'kid-is-not-thumbprint' | 'unknown-token-key' | 'not-authentic';

export type UntrustedRow = { readonly kid: string; readonly why: Distrust };

export type JudgedRows = {
  readonly trusted: readonly StoredKey[];
  readonly untrusted: readonly UntrustedRow[];
  /** Trusted rows without a MAC under the current token key, which they need before the older token key is removed. */
  readonly unsigned: readonly StoredKey[];
  readonly present: ReadonlySet<string>;
};

/** Which rows were written by a holder of the token keys: a MAC under any of them proves it. */
export const judgeRows = async (
  keys: TokenKeys,
  rows: readonly KeyRow[],
  history: SigningKeyHistory,
): Promise<JudgedRows> => {
  const trusted: StoredKey[] = [];
  const untrusted: UntrustedRow[] = [];
  const unsigned: StoredKey[] = [];
  for (const row of rows) {
    const judged = await judgeRow(keys, row, recordedKey(history, row.kid));
    if (typeof judged === 'string') untrusted.push({ kid: row.kid, why: judged });
    else trusted.push(judged);
    if (typeof judged !== 'string' && !hasMac(keys, judged, row.macs, keys.current)) unsigned.push(judged);
  }
  return { trusted, untrusted, unsigned, present: new Set(rows.map(({ kid }) => kid)) };
};

const judgeRow = async (
  keys: TokenKeys,
  { macs, ...row }: KeyRow,
  recorded: RecordedKey | undefined,
): Promise<StoredKey | Distrust> => {
  const publicJwk = await readPublicJwk(row.publicJwk);
  if (publicJwk === null) return 'malformed';
  if (publicJwk.kid !== row.kid) return 'kid-is-not-thumbprint';
  const retiredAt = recorded?.retired?.reason === 'superseded' ? recorded.retired.at : null;
  const key: StoredKey = { ...row, publicJwk, retiredAt };
  if ([...keys.keys.keys()].some((id) => hasMac(keys, key, macs, id))) return key;
  return keys.keys.has(row.tokenKeyId) ? 'not-authentic' : 'unknown-token-key';
};

/** A separate subkey, used for nothing else. */
export const rowMac = (
  keys: TokenKeys,
  tokenKeyId: string,
  {
    kid,
    publicJwk,
    createdAt,
    currentFrom,
  }: Pick<StoredKey, 'kid' | 'publicJwk' | 'createdAt' | 'currentFrom'>,
): string | null =>
  macFor(
    keys,
    tokenKeyId,
    'signing-key-row',
    JSON.stringify([kid, jwkText(publicJwk), createdAt, currentFrom]),
  )?.toString('base64url') ?? null;

const hasMac = (keys: TokenKeys, key: StoredKey, macs: unknown, id: string): boolean => {
  const found = (macs as Readonly<Record<string, unknown>> | null)?.[id];
  const expected = rowMac(keys, id, key);
  if (typeof found !== 'string' || expected === null || found.length !== expected.length) return false;
  return timingSafeEqual(Buffer.from(found, 'latin1'), Buffer.from(expected, 'latin1'));
};
