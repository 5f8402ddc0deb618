/** SQL for when a grant last read a list, in milliseconds since the Unix epoch; null: never, as far as is known. */
export const lastReadOf = (grantId: string): string => `(
  select max(last_at) from list_reads
  where grant_id = ${grantId} and day = (select max(day) from list_reads where grant_id = ${grantId}))`;

type Columns = Readonly<Record<'lastRead' | 'issued' | 'lastToken' | 'scopes' | 'countedSince', string>>;

/**
 * SQL for the time since which a grant is certainly unused. Refreshing a token without reading does not count as use.
 * For the time before reads were counted there are only tokens to go by, so a grant without any known read counts as
 * used until its last token of that time. The same holds for a grant that opens no list.
 */
export const unusedSinceOf = ({ lastRead, issued, lastToken, scopes, countedSince }: Columns): string => {
  const witnessed = `case when ${scopes} - 'openid' = '[]' then null else ${countedSince}::bigint end`;
  return `coalesce(${lastRead}, greatest(${issued}, least(coalesce(${lastToken}, ${issued}), ${witnessed})))`;
};
