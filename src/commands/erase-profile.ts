import { isRecordId, isUlid } from '../domain/ids.ts';
import { profilePerson } from '../domain/personal-data.ts';
import { eraseProfile, profileDecider } from '../domain/profile.ts';
import { profileStream } from '../domain/streams.ts';
import type { Commands } from './commands.ts';
import { handle } from './handle.ts';
import type { CommandDependencies } from './dependencies.ts';
import { retryUnknownOutcome } from './retry-unknown-outcome.ts';

type Needs = Pick<CommandDependencies, 'store' | 'now' | 'persons'>;

/** Says in the log that the person is forgotten, then destroys the key; the same call again completes what a crash has cut short. */
export const makeEraseProfile =
  ({ store, now, persons }: Needs): Commands['eraseProfile'] =>
  async ({ organizationId, id }) => {
    if (!isUlid(organizationId) || !isRecordId(id)) return { ok: false, refusal: 'profile-unknown' };
    const { before, position, refusal } = await retryUnknownOutcome(() =>
      handle(
        store,
        profileStream(organizationId, id),
        profileDecider,
        (known) => eraseProfile(known, { organizationId, id, now: now() }),
        { metadata: { actor: 'operator' } },
      ),
    );
    if (refusal) return { ok: false, refusal };
    await persons.destroy(profilePerson(organizationId, id));
    return { ok: true, value: { position, repeated: before.status === 'erased' } };
  };
