import fc from 'fast-check';
import type { AccessTokenClaims } from '../../src/commands/credentials/access-token.ts';
import type { Scope } from '../../src/domain/access/scope.ts';
import { judgeFence, fenceSubjectsOf } from '../../src/domain/fence/fence.ts';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import { seconds, terms } from '../support/scenes/grants.ts';
import { issuance } from '../support/memory/issuance.ts';
import { memoryStore } from '../support/memory/memory-store.ts';

/** What a history is made of. Numbers pick among what there is then. */
export type Step =
  | {
      readonly do: 'grant';
      readonly own: boolean;
      readonly scopes: readonly Scope[];
      readonly elsewhere: boolean;
    }
  | { readonly do: 'code' | 'refresh' | 'giveBack' | 'giveBackAccess' | 'reuse'; readonly which: number }
  | {
      readonly do:
        | 'activate'
        | 'deactivate'
        | 'suspend'
        | 'resume'
        | 'disable'
        | 'enable'
        | 'withdraw'
        | 'removeProfile'
        | 'otherOrganization'
        | 'close';
    }
  | { readonly do: 'profile'; readonly linked: boolean }
  | { readonly do: 'reservation'; readonly which: number; readonly removed: boolean }
  | { readonly do: 'pass'; readonly seconds: number };

const some = fc.subarray(['openid', 'profiles:read', 'reservations:read', 'access-rights:read'] as const, {
  minLength: 1,
});
const which = fc.nat(20);

export const aHistory = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('grant' as const),
        own: fc.boolean(),
        scopes: some,
        elsewhere: fc.constantFrom(false, false, false, true),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'code' as const,
          'refresh' as const,
          'refresh' as const,
          'giveBack' as const,
          'giveBackAccess' as const,
          'reuse' as const,
        ),
        which,
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'activate' as const,
          'activate' as const,
          'deactivate' as const,
          'suspend' as const,
          'resume' as const,
          'disable' as const,
          'enable' as const,
          'withdraw' as const,
          'removeProfile' as const,
          'otherOrganization' as const,
        ),
      }),
    },
    { weight: 1, arbitrary: fc.constantFrom({ do: 'activate' as const }, { do: 'close' as const }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('profile' as const), linked: fc.boolean() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('reservation' as const),
        which: fc.nat(2),
        removed: fc.boolean(),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('pass' as const),
        seconds: fc.constantFrom(1, 60, 1800, 3600, 86_400 * 31),
      }),
    },
  ),
  { minLength: 5, maxLength: 30 },
);

/** In which something opens and closes, whatever else is drawn: a property over histories tries it first. */
export const opensAndCloses: readonly Step[] = [
  { do: 'profile', linked: true },
  { do: 'grant', own: false, scopes: ['profiles:read', 'reservations:read'], elsewhere: false },
  { do: 'grant', own: true, scopes: ['profiles:read'], elsewhere: false },
  { do: 'refresh', which: 0 },
  { do: 'deactivate' },
];

/** The same, until the organization is closed. */
export const opensAndIsClosed: readonly Step[] = [...opensAndCloses.slice(0, -1), { do: 'close' }];

/** What the service itself would have answered at a moment: which access tokens its bearer check accepted. */
export type Accepted = {
  readonly events: number;
  readonly now: number;
  readonly tokens: readonly AccessTokenClaims[];
};

export type History = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly userId: string;
  /** As the log had it, if its clock had been the one of the commands. */
  readonly events: readonly RecordedEvent[];
  /** After each step. */
  readonly accepted: readonly Accepted[];
};

/** Plays a history with the service's own commands, and asks its own bearer check after each step. */
export const play = async (steps: readonly Step[]): Promise<History> => {
  const world = await issuance();
  const { commands, organizationId, addonId, userId, fence, store } = world;
  let now = Number(terms.at);
  let version = 0;
  const tokens: string[] = [];
  const refreshes: string[] = [];
  const keep = (pair: { readonly accessToken: string; readonly refreshToken: string }) => {
    tokens.push(pair.accessToken);
    refreshes.push(pair.refreshToken);
  };
  const pick = <T>(from: readonly T[], index: number): T | undefined =>
    from[index % Math.max(from.length, 1)];

  const subjectOf = async (own: boolean) => {
    if (!own) {
      const { epoch } = await commands.showActivation(organizationId, addonId);
      return { kind: 'organization', organizationId, epoch } as const;
    }
    const events = (await store.read(`account-${userId}`)).events.map(({ event }) => event.type);
    const withdrawn = (await store.read(`consent-${userId}.${addonId}`)).events.map(
      ({ event }) => event.type,
    );
    const times = (types: readonly string[], type: string) => types.filter((one) => one === type).length;
    const epoch = times(events, 'AccountDisabled') + times(withdrawn, 'ConsentWithdrawn');
    return { kind: 'user', userId, epoch } as const;
  };
  const issue = async (step: { own: boolean; scopes: readonly Scope[]; elsewhere: boolean }) => {
    const resources = step.elsewhere ? ['https://other.example'] : [];
    const subject = await subjectOf(step.own);
    return world.issueOutcome({ subject, scopes: step.scopes, resources });
  };
  const take = async (step: Step): Promise<void> => {
    switch (step.do) {
      case 'grant': {
        const code = await issue(step);
        if (!code.ok) return;
        const pair = await world.exchange(code.value.code);
        if (pair.ok) keep(pair.value);
        return;
      }
      case 'code':
        return void (await issue({ own: step.which % 2 === 0, scopes: ['openid'], elsewhere: false }));
      case 'refresh': {
        const token = refreshes.at(-1 - (step.which % 2));
        if (token === undefined) return;
        const narrowed = step.which % 3 === 0 ? (['openid'] as const) : null;
        const pair = await world.refresh(token, { scopes: narrowed });
        if (pair.ok) keep(pair.value);
        return;
      }
      case 'reuse': {
        const token = refreshes[0];
        if (token === undefined) return;
        const pair = await world.refresh(token);
        if (pair.ok) keep(pair.value);
        return;
      }
      case 'giveBack':
      case 'giveBackAccess': {
        const token = pick(step.do === 'giveBack' ? refreshes : tokens, step.which);
        if (token !== undefined) await commands.revokeToken({ addonId, token });
        return;
      }
      case 'activate':
        return void (await world.activate());
      case 'deactivate':
        return void (await world.deactivate());
      case 'close':
        return void (await commands.closeOrganization({ organizationId }));
      case 'suspend':
        return void (await commands.suspendAddon(addonId));
      case 'resume':
        return void (await commands.resumeAddon(addonId));
      case 'disable':
        return void (await commands.disableUser(userId));
      case 'enable':
        return void (await commands.enableUser(userId));
      case 'withdraw': {
        await commands.approveScopes({ ...(await approval()), scopes: ['openid'] });
        return void (await commands.withdrawConsent({ userId, addonId }));
      }
      case 'otherOrganization':
        return void (await commands.activateAddon({
          addonId,
          organizationId: '01JZZZZZZZZZZZZZZZZZZZZZZ9',
          by: userId,
          sessionId: null,
        }));
      case 'profile':
        return record(step.linked ? userId : null);
      case 'removeProfile':
        return record(undefined);
      case 'reservation': {
        const until = { resource: 'court', startsAt: '2026-05-01T08:00:00Z', endsAt: '2026-05-01T09:00:00Z' };
        const record = {
          profileId: step.which === 2 ? 'P9' : 'P1',
          ...until,
          status: 'confirmed',
          title: null,
          note: null,
        } as const;
        version += 1;
        await commands.recordReservation({
          organizationId,
          id: `R${step.which}`,
          version,
          record: step.removed ? null : record,
        });
        return;
      }
      case 'pass':
        now = world.pass(seconds(step.seconds));
    }
  };
  const approval = async () => ({ userId, addonId, subject: await subjectOf(true) });
  const record = async (owner: string | null | undefined) => {
    const about = { name: 'P', email: 'p@x.org', phone: null, locale: null, externalId: null };
    version += 1;
    const profile = owner === undefined ? null : { ...about, userId: owner };
    await commands.recordProfile({ organizationId, id: 'P1', version, record: profile });
  };
  const ask = async (): Promise<Accepted> => {
    const claims = tokens.flatMap((token) => commands.verifyAccessToken(token) ?? []);
    const judged = await Promise.all(
      claims.map(async (claim) => ({
        claim,
        refusal: judgeFence(claim, await fence.read(fenceSubjectsOf(claim))),
      })),
    );
    const open = judged.filter(({ claim, refusal }) => refusal === null && claim.audience.ownApi);
    return { events: store.all().length, now, tokens: open.map(({ claim }) => claim) };
  };

  const accepted: Accepted[] = [];
  for (const step of steps) {
    await take(step);
    accepted.push(await ask());
  }
  const events = store.all().map((event) => ({ ...event, created: event.event.data.at }));
  return { organizationId, addonId, userId, events, accepted };
};

/** The same log, to be read. */
export const logOf = ({ events }: Pick<History, 'events'>) => memoryStore({}, events);
