import { grantSubject } from '../domain/fence.ts';
import { grantEndDecider, revokeGrant } from '../domain/grant-revoke.ts';
import type { GrantRevocationReason } from '../domain/grant.ts';
import { grantStream } from '../domain/streams.ts';
import { completeFence } from './complete-fence.ts';
import { handle } from './handle.ts';
import { loadGrantEnd } from './load-grant.ts';
import type { CommandNeeds } from './needs.ts';
import { rerunUnknown } from './rerun-unknown.ts';

export type RevokeGrant = { readonly grantId: string; readonly reason: GrantRevocationReason };

/**
 * Ends a grant; when this returns, every instance refuses its codes and tokens. Revoking twice appends nothing more
 * and completes what a crash left undone. A grant that does not exist is left alone.
 */
export const makeRevokeGrant =
  ({ store, fence, now }: Pick<CommandNeeds, 'store' | 'fence' | 'now'>) =>
  async ({ grantId, reason }: RevokeGrant): Promise<void> => {
    const stream = grantStream(grantId);
    const handled = await rerunUnknown(() =>
      handle(store, stream, grantEndDecider, (grant) => revokeGrant(grant, { reason, now: now() }), {
        load: () => loadGrantEnd(store, stream),
      }),
    );
    await completeFence(fence, grantSubject(grantId), handled);
  };
