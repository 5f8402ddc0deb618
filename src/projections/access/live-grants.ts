/**
 * SQL for whether a row of `grants` counts as live, wherever grants are counted or listed: its code was exchanged, nothing revoked it, and
 * it has expired neither by time nor by lack of use. @param now SQL for milliseconds since the Unix epoch
 */
export const isLive = (now: string, row = 'grants'): string =>
  `(${row}.status = 'redeemed' and ${row}.expires_at > ${now}::bigint)`;

/** SQL for whether it is a code that can still be exchanged. */
const isCode = (now: string, row: string): string =>
  `(${row}.status = 'issued' and ${row}.expires_at > ${now}::bigint)`;

/** SQL for whether a row of `grants` whose grant or code ended had not expired before: then what ended it revoked something. */
export const wasUsable = (at: string): string => `expires_at > ${at}::bigint`;

/** Those that nothing ended, which an index finds by epoch: a condition on `grants` alone. */
export const notEnded = `status <> 'ended' and organization_id is not null`;

/** SQL for the counts of the grants that a condition on `grants` selects, and what they see together: one row, even when there are none. */
export const liveCounts = (where: string, now: string): string => `
  select count(*) filter (where ${isLive(now)})::int as "liveGrants",
         count(*) filter (where ${isCode(now, 'grants')})::int as "unredeemedCodes",
         count(distinct user_id) filter (where ${isLive(now)})::int as approvers,
         coalesce(string_agg(distinct (select string_agg(scope, ' ') from jsonb_array_elements_text(grants.scopes) as scope), ' ')
                  filter (where ${isLive(now)}), '') as scopes
  from grants where ${notEnded} and ${where}`;
