import { isRecordId, isUlid } from '../../domain/kernel/ids.ts';
import { profilePerson } from '../../domain/personal-data.ts';
import { eraseProfile, profile } from '../../domain/records/profile.ts';
import { deciderOf } from '../../domain/records/record-resource.ts';
import { profileStream } from '../../domain/streams.ts';
import type { Position } from '../../eventstore/event-store.ts';
import { byOperator } from '../kernel/by-operator.ts';
import type { CommandContext } from '../kernel/context.ts';
import type { AccountDependencies } from '../people/dependencies.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { handleRetrying } from '../kernel/handle-retrying.ts';

type Dependencies = Pick<AccountDependencies, 'store' | 'now' | 'persons'>;

/** Records the erasure, then deletes the key; the profile accepts nothing newer. The same call completes what a crash interrupted. */
export const makeEraseProfile =
  ({ store, now, persons }: Dependencies) =>
  async (
    { organizationId, id }: { readonly organizationId: string; readonly id: string },
    context?: CommandContext,
  ): Promise<
    Outcome<{ readonly position: Position | null; readonly repeated: boolean }, 'profile-unknown'>
  > => {
    if (!isUlid(organizationId) || !isRecordId(id)) return { ok: false, refusal: 'profile-unknown' };
    const { before, position, refusal } = await handleRetrying(
      store,
      profileStream(organizationId, id),
      deciderOf(profile),
      (known) => eraseProfile(known, { organizationId, id, now: now() }),
      { context, ...byOperator() },
    );
    if (refusal) return { ok: false, refusal };
    await persons.destroy(profilePerson(organizationId, id));
    return { ok: true, value: { position, repeated: before.status === 'erased' } };
  };
