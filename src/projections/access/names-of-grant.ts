import { fenceSubjectsOf, judgeFence } from '../../domain/fence/fence.ts';
import { fenceRows, toFenceRow, type StoredFenceRow } from '../fence/fence-statement.ts';
import type { PipelinedReader } from '../database/pipelined-reader.ts';
import type { NamesOfGrant, ReadModels } from '../read-models.ts';

type Answer = NamesOfGrant & { readonly fence: readonly StoredFenceRow[] | null };

/** The user who approved a grant, its organization, and the judgement about the token, from one snapshot (RS-02). */
export const readNamesOfGrant =
  (reader: PipelinedReader): ReadModels['namesOfGrant'] =>
  async (guarded) => {
    const { subject, userId } = guarded;
    const organizationId = subject.kind === 'organization' ? subject.organizationId : null;
    const [answer] = await reader.query<Answer>(statement, [
      fenceSubjectsOf(guarded),
      userId,
      organizationId,
    ]);
    if (!answer) throw new Error('An account and its fence are one row');
    const { fence, user, organization } = answer;
    const refused = judgeFence(guarded, (fence ?? []).map(toFenceRow));
    return refused ? { refused } : { refused, user, organization };
  };

const statement = {
  name: 'names-of-grant',
  text: `
    select (select json_build_object('name', name, 'email', email, 'emailVerified', email_verified, 'updatedAt', updated_at) from accounts where user_id = $2) as "user",
           (select json_build_object('name', name, 'externalId', external_id) from organizations where organization_id = $3) as organization,
           (select json_agg(row) from (${fenceRows}) as row)
             as fence`,
};
