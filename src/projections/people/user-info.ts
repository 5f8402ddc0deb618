import { fenceSubjectsOf, judgeFence, type Guarded } from '../../domain/fence/fence.ts';
import { fenceRows, toFenceRow, type StoredFenceRow } from '../fence/fence-statement.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { ReadModels, UserOfGrant } from '../read-models.ts';

type Answer = {
  readonly fence: readonly StoredFenceRow[] | null;
  readonly user: UserOfGrant | null;
};

/** The user who approved a grant, and the judgement about the token, from one snapshot (RS-02). */
export const readUserInfo =
  (reader: PipelinedReader): ReadModels['userInfo'] =>
  async (guarded) => {
    // Nothing is disclosed about a user whose account is disabled, although an organization's grant stays valid (AC-03).
    const ofUser: Guarded = { ...guarded, needsApprover: true };
    const [answer] = await reader.query<Answer>(statement, [fenceSubjectsOf(ofUser), guarded.userId]);
    if (!answer) throw new Error('An account and its fence are one row');
    const refused = judgeFence(ofUser, (answer.fence ?? []).map(toFenceRow));
    return refused ? { refused } : { refused, user: answer.user };
  };

const statement = {
  name: 'user-info',
  text: `
    select (select json_build_object('name', name, 'email', email, 'emailVerified', email_verified, 'updatedAt', updated_at) from accounts where user_id = $2) as "user",
           (select json_agg(row) from (${fenceRows}) as row)
             as fence`,
};
