import type { Config } from '../../config.ts';
import { withDatabase } from './database.ts';
import { daysBetween, failure, ok, warning, type Finding, type Look } from './finding.ts';

type SigningKey = {
  readonly kid: string;
  readonly algorithm: string;
  readonly token_key_id: string;
  readonly current_from: string;
  /** The first signing key under the same token key. */
  readonly token_key_since: string;
};

/** Ages of the keys that sign id_tokens, and of the token key in use as far as the database knows. */
export const looksAtKeys = (databaseUrl: string, tokenKeys: Config['tokenKeys']): readonly Look[] => [
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
