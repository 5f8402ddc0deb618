/** SQL for when a grant last read a list, in milliseconds since the Unix epoch; null: never, as far as is known. */
export const lastReadOf = (grantId: string): string => `(
  select max(last_at) from list_reads
  where grant_id = ${grantId} and day = (select max(day) from list_reads where grant_id = ${grantId}))`;

type Columns = Readonly<Record<'lastRead' | 'issued' | 'lastToken' | 'scopes' | 'countedSince', string>>;

/** SQL for since when a grant is unused; refreshes are no use. Before reads were counted, and for grants that open no list, tokens count. */
export const unusedSinceOf = ({ lastRead, issued, lastToken, scopes, countedSince }: Columns): string => {
  const witnessed = `case when ${scopes} - '{openid,profile,email}'::text[] = '[]' then null else ${countedSince}::bigint end`;
  return `coalesce(${lastRead}, greatest(${issued}, least(coalesce(${lastToken}, ${issued}), ${witnessed})))`;
};
