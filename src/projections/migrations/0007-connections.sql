-- What an add-on holds for an organization, added up in the transaction that changes the grants, so that nobody counts grants
-- to confirm or to prove a deactivation. One row for each (organization, add-on, epoch, who approved, what was approved).
-- `live` are grants whose code was exchanged and that nothing has ended; `unredeemed` codes that were never exchanged, also
-- those that expired. `last_token_at` is when a token was given out last. `scopes` is sorted, parted by spaces (RFC 6749 §3.3).
-- No check that the counts are not below 0: it would judge the row that an upsert proposes, which is a difference.
create table connections (
  organization_id text collate "C" not null,
  addon_id        text collate "C" not null,
  epoch           integer not null,
  user_id         text collate "C" not null,
  scopes          text collate "C" not null,
  unredeemed      integer not null,
  live            integer not null,
  last_token_at   bigint,
  primary key (organization_id, addon_id, epoch, user_id, scopes)
) with (fillfactor = 50);

-- Nobody else writes to the grants until this is committed: a projector that is running waits.
lock table grants in share row exclusive mode;
insert into connections
select organization_id, addon_id, epoch, user_id,
       (select coalesce(string_agg(scope, ' ' order by scope collate "C"), '') from jsonb_array_elements_text(grants.scopes) as scope),
       count(*) filter (where status = 'issued'), count(*) filter (where status = 'redeemed'),
       max(greatest(redeemed_at, refreshed_at))
from grants where organization_id is not null
group by 1, 2, 3, 4, 5;
