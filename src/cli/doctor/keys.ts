import { amount } from '../base/answer.ts';
import { parseTokenKeys, type TokenKeys } from '../../commands/credentials/token-keys.ts';
import type { Config } from '../../config/config.ts';
import { signingKeyDecider, type SigningKeyHistory } from '../../domain/log/signing-key-history.ts';
import { keptKeys } from '../../embedded/keys-file.ts';
import { countLostPersons } from '../../personal/lost-key-table.ts';
import { makeKeyLog } from '../../signing/key-log.ts';
import { selectKeyRows, toKeyRows, type StoredRow } from '../../signing/key-table.ts';
import { stateOf, type StoredKey } from '../../signing/signing-key.ts';
import { judgeRows, type JudgedRows, type UntrustedRow } from '../../signing/trusted-rows.ts';
import { withTables } from './database.ts';
import { daysBetween, failure, ok, warning, type Finding, type Check } from './finding.ts';
import type { WithLog } from './event-store.ts';

type SigningKey = Pick<StoredKey, 'kid' | 'tokenKeyId' | 'currentFrom'> & {
  readonly publicJwk: Pick<StoredKey['publicJwk'], 'alg'>;
};

export type KeyDependencies = {
  readonly databaseUrl: string;
  /** Null when there is no event store to ask. */
  readonly withLog: WithLog | null;
} & Pick<Config, 'tokenKeys' | 'personalDataKeys' | 'dataDir'>;

const lostCheck = 'keys of persons';

/** Who wrote the keys that sign id_tokens, how old they are, and the keys of the settings as far as the database knows them. */
export const keyChecks = (dependencies: KeyDependencies): readonly Check[] => [
  {
    check: 'master keys',
    run: () =>
      withTables(dependencies.databaseUrl, async (client) =>
        (await client.query<MasterKey>(masterKeys)).rows.map((row) =>
          judgeMasterKey(row, dependencies.personalDataKeys, Date.now()),
        ),
      ),
  },
  {
    check: lostCheck,
    run: () =>
      withTables(dependencies.databaseUrl, async (client) =>
        judgeLost(Number((await client.query<{ count: string }>(countLostPersons)).rows[0]?.count)),
      ),
  },
  { check: 'signing keys', run: () => checkSigningKeys(dependencies) },
];

/** @param count the number of persons whose key is missing although it was not destroyed */
const judgeLost = (count: number): Finding =>
  count === 0
    ? ok(lostCheck, 'no lost keys found')
    : failure(
        lostCheck,
        `key lost: the key of ${amount(count, 'person')} is missing, but was not destroyed`,
        'stop all instances and put the keys back: `grantbook keys restore FILE` (docs/how-to/back-up-and-restore.md, "Keys of persons are lost")',
      );

const checkSigningKeys = async ({ databaseUrl, withLog, ...config }: KeyDependencies) => {
  const rows = await withTables(databaseUrl, async (client) =>
    toKeyRows((await client.query<StoredRow>(selectKeyRows)).rows),
  );
  if (rows.length === 0) return ok('signing keys', 'none yet: the first one is created when needed');
  const tokenKeys = config.tokenKeys ?? (await keptTokenKeys(config.dataDir));
  if (tokenKeys === null)
    return failure('signing keys', 'TOKEN_KEYS is not set', "set it to the service's value");
  // Without the log, rows of this version still prove by themselves who wrote them.
  const history = withLog
    ? await withLog((log) => makeKeyLog(log).read()).catch(() => signingKeyDecider.initial)
    : signingKeyDecider.initial;
  return judgeSigningKeys(await judgeRows(tokenKeys, rows, history), history, tokenKeys, Date.now());
};

const keptTokenKeys = async (dataDir: string): Promise<TokenKeys | null> => {
  const kept = await keptKeys(dataDir, 'token-keys');
  return kept === null ? null : parseTokenKeys(kept);
};

export const judgeSigningKeys = (
  { trusted, untrusted }: JudgedRows,
  { keys: recorded }: SigningKeyHistory,
  tokenKeys: TokenKeys,
  now: number,
): readonly Finding[] => [
  ...untrusted.map(judgeUntrusted),
  ...recorded.flatMap(({ kid, retired }) =>
    retired?.reason === 'missing' && daysBetween(retired.at, now) < missingFor
      ? [
          warning(
            `signing key ${kid}`,
            'somebody deleted it from the table signing_keys',
            'find out who writes to the database; tokens that the key has signed can no longer be verified with the JWKS',
          ),
        ]
      : [],
  ),
  ...trusted
    .filter((key) => stateOf(key, trusted, now) === 'current')
    .flatMap((key) => {
      const ofSame = trusted.filter(({ tokenKeyId }) => tokenKeyId === key.tokenKeyId);
      const since = Math.min(...ofSame.map(({ createdAt }) => createdAt));
      const ofTokenKey =
        key.tokenKeyId === tokenKeys.current ? [judgeTokenKey(key.tokenKeyId, since, now)] : [];
      return [judgeSigningKey(key, tokenKeys, now), ...ofTokenKey];
    })
    .filter(onceEach()),
];

/** In days: how long a deleted key causes a warning. */
const missingFor = 30;

const judgeUntrusted = ({ kid, why }: UntrustedRow): Finding =>
  failure(
    `signing key ${kid}`,
    `its row in signing_keys was not written by a holder of TOKEN_KEYS (${why}), so it is not published`,
    why === 'unknown-token-key'
      ? 'if TOKEN_KEYS was changed, put the previous key after the current one; if not, treat it as an attack (docs/how-to/rotate-keys.md, "A signing key that is not trusted")'
      : 'treat it as an attack on the database (docs/how-to/rotate-keys.md, "A signing key that is not trusted")',
  );

type MasterKey = { readonly id: string; readonly count: string; readonly since: string };

/** The master keys that encrypt the keys of persons, and since when. */
const masterKeys = `
  select master_key_id as id, count(*), extract(epoch from min(created_at)) * 1000 as since
  from every_subject_key where master_key_id is not null group by master_key_id order by min(created_at)`;

const onceEach = () => {
  const seen = new Set<string>();
  return ({ check }: Finding) => !seen.has(check) && seen.add(check);
};

const yearOld = 365;

export const judgeSigningKey = (key: SigningKey, tokenKeys: Config['tokenKeys'], now: number): Finding => {
  const { alg } = key.publicJwk;
  const check = `signing key ${alg}`;
  const days = daysBetween(key.currentFrom, now);
  const found = `${key.kid}, ${days} days old`;
  if (tokenKeys && !tokenKeys.keys.has(key.tokenKeyId))
    return failure(
      check,
      `${found}; it is encrypted under the token key ${key.tokenKeyId}, which is missing in TOKEN_KEYS`,
      'add that key again after the current one',
    );
  if (days > yearOld) return warning(check, found, `rotate it: \`grantbook keys rotate --alg ${alg}\``);
  return ok(check, found);
};

/** @param since when the first signing key under it was made */
export const judgeTokenKey = (id: string, since: number, now: number): Finding => {
  const days = daysBetween(since, now);
  const found = `${id}, in use for ${days} days at least`;
  return days > yearOld
    ? warning(
        'token key',
        found,
        'put a new one in front of TOKEN_KEYS (docs/how-to/rotate-keys.md, "TOKEN_KEYS")',
      )
    : ok('token key', found);
};

export const judgeMasterKey = (
  { id, count, since }: MasterKey,
  personalDataKeys: Config['personalDataKeys'],
  now: number,
): Finding => {
  const check = `master key ${id}`;
  const days = daysBetween(Number(since), now);
  const found = `encrypts ${amount(Number(count), 'key')} of persons, in use for ${days} days at least`;
  if (personalDataKeys && !personalDataKeys.keys.has(id))
    return failure(
      check,
      `${found}; it is missing in PERSONAL_DATA_KEYS`,
      'add it again after the current one',
    );
  // An older master key is no reason for a warning: it only has to stay in the settings.
  return days > yearOld && personalDataKeys?.current === id
    ? warning(
        check,
        found,
        'add a new one at the beginning of PERSONAL_DATA_KEYS, and keep this one after it',
      )
    : ok(check, found);
};
