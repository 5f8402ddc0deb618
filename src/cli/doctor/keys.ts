import type { Config } from '../../config.ts';
import { withDatabase } from './database.ts';
import { counted, daysBetween, failure, ok, warning, type Finding, type Look } from './finding.ts';

type SigningKey = {
  readonly kid: string;
  readonly algorithm: string;
  readonly token_key_id: string;
  readonly current_from: string;
  /** The first signing key under the same token key. */
  readonly token_key_since: string;
};

/** Ages of the keys that sign id_tokens, and of the keys of the settings as far as the database knows. */
export const looksAtKeys = (
  databaseUrl: string,
  { tokenKeys, personalDataKeys }: Pick<Config, 'tokenKeys' | 'personalDataKeys'>,
): readonly Look[] => [
  {
    check: 'master keys',
    look: () =>
      withDatabase(databaseUrl, async (client) =>
        (await client.query<MasterKey>(masterKeys)).rows.map((row) =>
          judgeMasterKey(row, personalDataKeys, Date.now()),
        ),
      ),
  },
  {
    check: 'signing keys',
    look: () =>
      withDatabase(databaseUrl, async (client) => {
        const { rows } = await client.query<SigningKey>(currentKeys, [Date.now()]);
        if (rows.length === 0) return [ok('signing keys', 'none yet: the first is made when it is needed')];
        return rows
          .flatMap((row) => [
            judgeSigningKey(row, tokenKeys, Date.now()),
            ...(row.token_key_id === tokenKeys?.current ? [judgeTokenKey(row, Date.now())] : []),
          ])
          .filter(onceEach());
      }),
  },
];

const currentKeys = `
  select distinct on (algorithm) kid, algorithm, token_key_id, current_from,
         min(created_at) over (partition by token_key_id) as token_key_since
  from signing_keys where current_from <= $1 order by algorithm, current_from desc`;

type MasterKey = { readonly id: string; readonly count: string; readonly since: string };

/** Under which master keys the keys of persons are wrapped, and since when. */
const masterKeys = `
  select master_key_id as id, count(*), extract(epoch from min(created_at)) * 1000 as since
  from subject_keys where master_key_id is not null group by master_key_id order by min(created_at)`;

const onceEach = () => {
  const seen = new Set<string>();
  return ({ check }: Finding) => !seen.has(check) && seen.add(check);
};

const yearOld = 365;

export const judgeSigningKey = (key: SigningKey, tokenKeys: Config['tokenKeys'], now: number): Finding => {
  const check = `signing key ${key.algorithm}`;
  const days = daysBetween(Number(key.current_from), now);
  const found = `${key.kid}, ${days} days old`;
  if (tokenKeys && !tokenKeys.keys.has(key.token_key_id))
    return failure(
      check,
      `${found}; it is sealed under the token key ${key.token_key_id}, which TOKEN_KEYS has not got`,
      'put that key back behind the current one',
    );
  if (days > yearOld) return warning(check, found, `rotate it: grantbook keys rotate --alg ${key.algorithm}`);
  return ok(check, found);
};

export const judgeTokenKey = (
  { token_key_id: id, token_key_since: since }: SigningKey,
  now: number,
): Finding => {
  const days = daysBetween(Number(since), now);
  const found = `${id}, in use for ${days} days at least`;
  return days > yearOld
    ? warning(
        'token key',
        found,
        'put a new one in front of TOKEN_KEYS (docs/running.md, "Changing TOKEN_KEYS")',
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
  const found = `wraps ${counted(Number(count), 'key')} of persons, in use for ${days} days at least`;
  if (personalDataKeys && !personalDataKeys.keys.has(id))
    return failure(
      check,
      `${found}; PERSONAL_DATA_KEYS has not got it`,
      'put it back behind the current one',
    );
  // Of an older one nothing can be said but that it has to stay.
  return days > yearOld && personalDataKeys?.current === id
    ? warning(check, found, 'put a new one in front of PERSONAL_DATA_KEYS, and keep this one behind it')
    : ok(check, found);
};
