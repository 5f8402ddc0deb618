import { expect } from 'vitest';
import { activationStream, grantStream } from '../../src/domain/streams.ts';
import type { GrantEvent } from '../../src/domain/access/grant.ts';
import type { ActivationEvent } from '../../src/domain/organizations/activation.ts';
import type { Success, World } from './grant-world.ts';

/** What must be true after every command, whatever the model says; judged by the log and the answers alone. */
export const expectInvariants = async (world: World, from: { events: number; successes: number }) => {
  const fresh = world.successes.slice(from.successes);
  const streams = grantStreams(world);
  for (const events of streams.values()) expectOneLine(events);
  expectEachSuccessHasItsEvent(world, from.events, fresh);
  expectRepeatsAreIdentical(world, fresh);
  const endOf = makeEndOf(world, streams);
  for (const { grantId } of fresh)
    if (endOf(grantId) !== null) expect.fail(`no success of a grant that is ${endOf(grantId)}`);
  await expectNothingWorksAfterItsEnd(world, endOf);
};

type Streams = ReadonlyMap<string, readonly GrantEvent[]>;

const grantStreams = ({ store, grants }: World): Streams => {
  const streams = new Map<string, GrantEvent[]>(grants.map(({ grantId }) => [grantStream(grantId), []]));
  for (const { stream, event } of store.all()) streams.get(stream)?.push(event as GrantEvent);
  return streams;
};

const ofType = <T extends GrantEvent['type']>(events: readonly GrantEvent[], type: T) =>
  events.filter((event): event is Extract<GrantEvent, { type: T }> => event.type === type);

/** One redemption at most, then rotations without a fork, and after the end nothing that lives. */
const expectOneLine = (events: readonly GrantEvent[]): void => {
  const redeemed = ofType(events, 'AuthorizationCodeRedeemed');
  if (redeemed.length > 1) expect.fail('at most one redemption of a code');
  const rotations = ofType(events, 'TokensRefreshed').map(({ data }) => data);
  if (rotations.some(({ rotation }, index) => rotation !== index + 1))
    expect.fail('at most one live rotation: they follow one another');
  const absolute = redeemed[0]?.data.refreshAbsoluteExpiresAt ?? 0;
  for (const { at, refreshIdleExpiresAt, accessExpiresAt } of rotations) {
    if (at >= absolute) expect.fail('no rotation after the absolute expiry');
    if (Math.max(refreshIdleExpiresAt, accessExpiresAt) > absolute)
      expect.fail('nothing is promised beyond the absolute expiry');
  }
  const end = events.findIndex(({ type }) => type === 'GrantRevoked');
  if (end >= 0 && end < events.length - 1) expect.fail('nothing follows a revocation');
};

/** Each new pair has one event, each event of a pair was answered, and a repeat has none of its own. */
const expectEachSuccessHasItsEvent = (world: World, from: number, fresh: readonly Success[]): void => {
  const appended = world.store.all().slice(from);
  const issuing = appended.filter(({ event }) =>
    ['AuthorizationCodeRedeemed', 'TokensRefreshed'].includes(event.type),
  );
  const before = new Set(world.successes.slice(0, -fresh.length || undefined).map(refreshTokenOf));
  const made = new Set(fresh.map(refreshTokenOf).filter((token) => !before.has(token)));
  if (issuing.length !== made.size)
    expect.fail('every success has its event, and every such event its success');
};

const refreshTokenOf = ({ pair }: Success): string => pair.refreshToken;

/** The same refresh token to whoever asks, and the same access token but for scopes that were left out (RT-04, RT-09). */
const expectRepeatsAreIdentical = ({ successes }: World, fresh: readonly Success[]): void => {
  for (const { presented, pair } of fresh) {
    const pairs = successes.filter((success) => success.presented === presented).map((each) => each.pair);
    const first = pairs[0] ?? pair;
    const alike = pairs.find(({ scopes }) => scopes.join(' ') === pair.scopes.join(' '));
    const isSame = first.refreshToken === pair.refreshToken && alike?.accessToken === pair.accessToken;
    if (!isSame) expect.fail('repeats are answered with identical strings');
    if (pair.scopes.some((scope) => !first.scopes.includes(scope)))
      expect.fail('no repeat opens more than the first answer');
  }
};

const openEpoch = ({ store, subject }: World): number | null => {
  const stream = activationStream(subject.organizationId, subject.addonId);
  let epoch: number | null = null;
  for (const recorded of store.all()) {
    if (recorded.stream !== stream) continue;
    const event = recorded.event as ActivationEvent;
    if (event.type === 'AddonActivated') epoch = event.data.epoch;
    if (event.type === 'AddonDeactivated') epoch = null;
  }
  return epoch;
};

/** Why a grant has permanently ended, according to the log; null while it has not. */
const makeEndOf = (world: World, streams: Streams) => {
  const epoch = openEpoch(world);
  return (grantId: string): string | null => {
    const events = streams.get(grantStream(grantId)) ?? [];
    const subject = ofType(events, 'AuthorizationCodeIssued')[0]?.data.subject;
    if (subject?.kind === 'organization' && subject.epoch !== epoch) return 'of an epoch that is over';
    if (subject?.kind === 'user' && takenBackAfter(world, grantId)) return 'taken back by the user';
    if (events.some(({ type }) => type === 'GrantRevoked')) return 'revoked';
    const absolute = ofType(events, 'AuthorizationCodeRedeemed')[0]?.data.refreshAbsoluteExpiresAt;
    return absolute !== undefined && world.now() >= absolute ? 'past its absolute expiry' : null;
  };
};

/** Whether the log has a withdrawal or a disabling after the code. */
const takenBackAfter = ({ store, subject }: World, grantId: string): boolean => {
  const ends = [`consent-${subject.userId}.${subject.addonId}`, `account-${subject.userId}`];
  const all = store.all();
  const issued = all.findIndex(({ stream }) => stream === grantStream(grantId));
  return all
    .slice(issued)
    .some(
      ({ stream, event }) =>
        ends.includes(stream) && (event.type === 'ConsentWithdrawn' || event.type === 'AccountDisabled'),
    );
};

const expectNothingWorksAfterItsEnd = async (
  world: World,
  endOf: (grantId: string) => string | null,
): Promise<void> => {
  for (const grant of world.grants) {
    const end = endOf(grant.grantId);
    if (end === null) continue;
    if ((await world.working(grant)).some((scopes) => scopes !== null))
      expect.fail(`no access token works that is ${end}`);
    if ((await world.introspected(grant, 0)).some(({ access, refresh }) => access !== null || refresh))
      expect.fail(`introspection calls nothing active that is ${end}`);
  }
};
