import type { Scope } from '../../domain/access/scope.ts';
import { idsOf } from '../../domain/kernel/stream-name.ts';
import type { RecordedEvent } from '../../eventstore/event-store.ts';
import { columnsOf, defineProjection } from '../follow/projection.ts';

type Approval = { readonly scopes: Set<string>; readonly epoch: number; readonly at: number };
/** `forgets`: approvals before this batch are void. */
type Change = {
  readonly subjectId: string;
  readonly addonId: string;
  readonly userId: string;
  readonly forgets: boolean;
  readonly approval: Approval | null;
};
type Changes = Map<string, Change>;

const keyOf = (...ids: readonly string[]) => ids.join(' ');

/** Adds to an approval of the same epoch; approvals of another epoch are dropped (S5). */
const approve = (before: Change | undefined, scopes: readonly string[], epoch: number, at: number) => {
  const same = before?.approval?.epoch === epoch ? before.approval.scopes : [];
  return { scopes: new Set([...same, ...scopes]), epoch, at };
};

type ApprovalData = {
  readonly userId: string;
  readonly scopes: readonly Scope[];
  readonly epoch: number;
  readonly at: number;
};

/** For all audiences: the user who approved the scopes can withdraw them. */
const noteApproval = (
  changes: Changes,
  { userId, scopes, epoch, at }: ApprovalData,
  event: RecordedEvent,
): void => {
  const [subjectId, addonId] = idsOf(event.stream);
  const key = keyOf(subjectId, addonId, userId);
  const before = changes.get(key);
  const approval = approve(before, scopes, epoch, at);
  changes.set(key, { subjectId, addonId, userId, forgets: before?.forgets ?? false, approval });
};

export const consents = defineProjection<Changes>({
  name: 'consents',
  empty: () => new Map(),
  on: {
    ScopesApproved: noteApproval,
    AudienceApproved: noteApproval,
    ConsentWithdrawn: (changes, { userId }, event) => {
      const [subjectId, addonId] = idsOf(event.stream);
      const key = keyOf(subjectId, addonId, userId);
      changes.set(key, { subjectId, addonId, userId, forgets: true, approval: null });
    },
  },
  async write(tx, changes) {
    const all = [...changes.values()];
    const forgotten = all.filter(({ forgets }) => forgets);
    const approved = all.flatMap(({ approval, ...ids }) =>
      approval ? [{ ...ids, ...approval, scopes: JSON.stringify([...approval.scopes].sort()) }] : [],
    );
    if (forgotten.length > 0)
      await tx.query(forget, [...columnsOf(forgotten, ['subjectId', 'addonId', 'userId'])]);
    if (approved.length > 0)
      await tx.query(remember, [
        ...columnsOf(approved, ['subjectId', 'addonId', 'userId', 'scopes', 'epoch', 'at']),
      ]);
  },
});

const forget = `
  delete from consents using unnest($1::text[], $2::text[], $3::text[]) as change (subject_id, addon_id, user_id)
  where (consents.subject_id, consents.addon_id, consents.user_id) = (change.subject_id, change.addon_id, change.user_id)`;

const remember = `
  insert into consents (subject_id, addon_id, user_id, scopes, epoch, approved_at)
  select * from unnest($1::text[], $2::text[], $3::text[], $4::jsonb[], $5::int[], $6::bigint[])
  on conflict (subject_id, addon_id, user_id) do update set
    scopes = case when consents.epoch = excluded.epoch
      then (select coalesce(jsonb_agg(distinct scope order by scope), '[]')
            from jsonb_array_elements_text(consents.scopes || excluded.scopes) as scope)
      else excluded.scopes end,
    epoch = excluded.epoch, approved_at = excluded.approved_at`;
