import { mintCredential } from '../../src/commands/credentials/credentials.ts';
import { load } from '../../src/commands/kernel/handle.ts';
import { newSalt } from '../../src/commands/credentials/secrets.ts';
import { tokenPairOf } from '../../src/commands/credentials/token-pair.ts';
import type { Core } from '../../src/compose/core.ts';
import { fold } from '../../src/domain/kernel/decision.ts';
import { type Grant, grantDecider, type GrantEvent, type LiveGrant } from '../../src/domain/access/grant.ts';
import { grantStream } from '../../src/domain/streams.ts';

/** The add-on's credentials of a grant. */
export type Held = {
  readonly grantId: string;
  /** Redeemed long ago. */
  readonly code: string;
  readonly accessToken: string;
  readonly refreshToken: string;
};

const batch = 1_000;

/** Appends this many rotations to a seeded grant, in the form of the decider. */
export const rotate = async (
  { store, keys }: Pick<Core, 'store' | 'keys'>,
  grantId: string,
  count: number,
): Promise<Held> => {
  const stream = grantStream(grantId);
  const seeded = await load(store, stream, grantDecider);
  let grant: Grant = seeded.state;
  let { revision } = seeded;
  for (let done = 0; done < count; done += batch) {
    const events: GrantEvent[] = [];
    for (let n = done; n < Math.min(done + batch, count); n += 1) {
      const event = nextRotation(live(grant), keys.current);
      grant = fold({ ...grantDecider, initial: grant }, [event]);
      events.push(event);
    }
    const appended = await store.append(
      stream,
      revision,
      events.map((event) => ({ event })),
    );
    if (!appended.ok) throw new Error(`somebody else appended to ${stream}`);
    revision = appended.revision;
  }
  const { terms, current } = live(grant);
  const address = { grantId, rotation: 0, expiresAt: terms.expiresAt };
  const { accessToken, refreshToken } = tokenPairOf(keys, live(grant), current.at);
  return { grantId, code: mintCredential(keys, 'code', terms, address), accessToken, refreshToken };
};

const live = (grant: Grant): LiveGrant => {
  if (grant.status !== 'live') throw new Error(`a seeded grant is ${grant.status}`);
  return grant;
};

/** All at the time of the seed: only the number of events matters. */
const nextRotation = ({ rejections, current }: LiveGrant, keyId: string): GrantEvent => ({
  type: 'TokensRefreshed',
  data: {
    rotation: current.rotation + 1,
    keyId,
    salt: newSalt(),
    scopes: current.scopes,
    at: current.at,
    accessExpiresAt: current.accessExpiresAt,
    refreshIdleExpiresAt: current.refreshIdleExpiresAt,
    graceUntil: current.at,
    resources: null,
    counts: { rejections, hour: { began: current.at, rotations: 1 } },
  },
});
