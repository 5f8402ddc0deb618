-- Documented retention removes grants whose code was never redeemed (docs/retention.md, ADR 40). What they left in `connections` goes with the
-- last grant of its kind; the only others that can be there then have ended without a token. There are few of them.
create index grants_ended_unredeemed on grants (organization_id, addon_id, epoch, user_id)
  where status = 'ended' and redeemed_at is null and organization_id is not null;
