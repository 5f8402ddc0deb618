/** SQL of when a grant was used to read a list last, in milliseconds since the Unix epoch; null: never, as far as is known. */
export const lastReadOf = (grantId: string): string => `(
  select max(last_at) from list_reads
  where grant_id = ${grantId} and day = (select max(day) from list_reads where grant_id = ${grantId}))`;

type Columns = Readonly<Record<'lastRead' | 'issued' | 'lastToken' | 'scopes' | 'countedSince', string>>;

/**
 * SQL of since when a grant is unused, at the least. A token that is refreshed and reads nothing is not used. Of what was read before
 * reads were counted tokens are the only witness, so a grant that was never seen to read counts as used until its last token of that time;
 * so they are of a grant that opens no list.
 */
export const unusedSinceOf = ({ lastRead, issued, lastToken, scopes, countedSince }: Columns): string => {
  const witnessed = `case when ${scopes} - 'openid' = '[]' then null else ${countedSince}::bigint end`;
  return `coalesce(${lastRead}, greatest(${issued}, least(coalesce(${lastToken}, ${issued}), ${witnessed})))`;
};
