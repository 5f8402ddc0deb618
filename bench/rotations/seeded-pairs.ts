import { tokenPairOf, type TokenPair } from '../../src/commands/credentials/token-pair.ts';
import type { Core } from '../../src/compose/core.ts';
import { fold } from '../../src/domain/kernel/decision.ts';
import { type Grant, grantDecider, type GrantEvent } from '../../src/domain/access/grant.ts';
import { grantStream } from '../../src/domain/streams.ts';

const eventTypes = ['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed'] as const;

/** The token pairs of many seeded grants, from one subscription to the log: separate reads would take minutes. */
export const pairsOf = async (
  { store, keys }: Pick<Core, 'store' | 'keys'>,
  grantIds: readonly string[],
): Promise<readonly TokenPair[]> => {
  const grants = new Map<string, Grant>(grantIds.map((id) => [grantStream(id), grantDecider.initial]));
  const enough = new AbortController();
  for await (const message of store.subscribe({ after: null, eventTypes, signal: enough.signal })) {
    if (message.kind === 'caught-up') break;
    if (message.kind !== 'event') continue;
    const { stream, event } = message.event;
    const initial = grants.get(stream);
    if (initial) grants.set(stream, fold({ ...grantDecider, initial }, [event as GrantEvent]));
  }
  enough.abort();
  return [...grants].map(([stream, grant]) => {
    if (grant.status !== 'live') throw new Error(`the seeded ${stream} is ${grant.status}`);
    return tokenPairOf(keys, grant, Date.now());
  });
};
