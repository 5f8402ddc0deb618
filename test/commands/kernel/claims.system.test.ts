import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, test } from 'vitest';
import {
  accountDecider,
  type AccountEvent,
  addressOf,
  emailDecider,
  type EmailEvent,
} from '../../../src/domain/people/account.ts';
import { type Decider, fold } from '../../../src/domain/kernel/decision.ts';
import { externalIdDecider, type ExternalIdEvent } from '../../../src/domain/organizations/external-id.ts';
import { identityDecider, type IdentityEvent } from '../../../src/domain/people/identity.ts';
import {
  organizationDecider,
  type OrganizationEvent,
} from '../../../src/domain/organizations/organization.ts';
import { categoryOf, idOf } from '../../../src/domain/kernel/stream-name.ts';
import type { EventStore, RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';
import { memoryPersons } from '../../support/memory/memory-persons.ts';
import { memoryStore } from '../../support/memory/memory-store.ts';

const password = 'correct horse';
const [x, y] = ['x@example.com', 'y@example.com'];
const provider = { provider: 'p', issuer: 'https://p.example' };
const person = { name: 'Bo', password, administratorOf: [], roles: [] };
const persons = memoryPersons();

type Market = ReturnType<typeof marketplace>;

/** Ada signs in with the identity `s`, too, and has a link for another password; Carol does not have an identity. */
const prepared = await (async () => {
  const market = marketplace();
  const user = async (name: string, email: string) =>
    valueOf(await market.createUser({ ...person, name, email })).userId;
  const [ada, carol] = [await user('Ada', 'ada@example.com'), await user('Carol', 'carol@example.com')];
  valueOf(await market.linkIdentity({ userId: ada, ...provider, subject: 's' }));
  const { token } = valueOf(await market.issuePasswordLink(ada));
  const organization = async (name: string) =>
    valueOf(await market.createOrganization({ name })).organizationId;
  const [mill, harbour] = [await organization('Mill'), await organization('Harbour')];
  valueOf(await market.updateOrganization({ organizationId: mill, externalId: 'm' }));
  return { events: [...market.store.all()], ada, carol, token, mill, harbour };
})();
const { ada, carol, mill, harbour } = prepared;

const signIn = (subject: string, email: string, emailVerified: boolean) => (market: Market) =>
  market.accountOfIdentity({
    ...provider,
    subject,
    name: null,
    email,
    emailVerified,
    mapped: { administratorOf: [], roles: [] },
  });

type Command = (market: Market) => Promise<unknown>;

const ofAccounts: Readonly<Record<string, Command>> = {
  'Ada gets x': (market) => market.updateUser({ userId: ada, email: x }),
  'Ada gets y': (market) => market.updateUser({ userId: ada, email: y }),
  'Ada keeps hers': (market) => market.updateUser({ userId: ada, email: 'ada@example.com' }),
  'Carol gets x': (market) => market.updateUser({ userId: carol, email: x }),
  'Carol gets that of Ada': (market) => market.updateUser({ userId: carol, email: 'ada@example.com' }),
  'Ada is erased': (market) => market.eraseUser(ada),
  'x is created': (market) => market.createUser({ ...person, email: x }),
  'x is invited': (market) => market.inviteUser({ name: 'Bo', email: x }),
  's signs in with x': signIn('s', x, true),
  's signs in with x, unverified': signIn('s', x, false),
  't signs in with x': signIn('t', x, true),
  't is linked to Ada': (market) => market.linkIdentity({ userId: ada, ...provider, subject: 't' }),
  't is linked to Carol': (market) => market.linkIdentity({ userId: carol, ...provider, subject: 't' }),
  's is linked to Carol': (market) => market.linkIdentity({ userId: carol, ...provider, subject: 's' }),
  'Ada is unlinked': (market) => market.unlinkIdentity({ userId: ada, provider: 'p' }),
};

const ofOrganizations: Readonly<Record<string, Command>> = {
  'Mill gets x': (market) => market.updateOrganization({ organizationId: mill, externalId: 'x' }),
  'Mill gets y': (market) => market.updateOrganization({ organizationId: mill, externalId: 'y' }),
  'Mill keeps its own': (market) => market.updateOrganization({ organizationId: mill, externalId: 'm' }),
  'Harbour gets x': (market) => market.updateOrganization({ organizationId: harbour, externalId: 'x' }),
  'Harbour gets that of Mill': (market) =>
    market.updateOrganization({ organizationId: harbour, externalId: 'm' }),
};

const states = <S, E>(events: readonly RecordedEvent[], category: string, decider: Decider<S, E>) => {
  const streams = new Map<string, E[]>();
  for (const { stream, event } of events)
    if (categoryOf(stream) === category)
      streams.set(idOf(stream), [...(streams.get(idOf(stream)) ?? []), event as unknown as E]);
  return [...streams].map(([id, of]) => [id, fold(decider, of)] as const);
};

/** Each claim, and each value that an account or an organization records, with whose it is. */
const claimed = (events: readonly RecordedEvent[]): readonly string[] =>
  [
    ...states<{ userId: string | null }, EmailEvent>(events, 'email', emailDecider),
    ...states<{ userId: string | null }, IdentityEvent>(events, 'identity', identityDecider),
  ]
    .map(([digest, { userId }]) => [digest, userId] as const)
    .concat(
      states<{ organizationId: string | null }, ExternalIdEvent>(events, 'externalId', externalIdDecider).map(
        ([digest, { organizationId }]) => [digest, organizationId] as const,
      ),
    )
    .filter(([, owner]) => owner !== null)
    .map(([digest, owner]) => `${digest} ${owner}`)
    .sort();

const recorded = async (events: readonly RecordedEvent[]): Promise<readonly string[]> => {
  const lines: string[] = [];
  for (const [userId, account] of states<ReturnType<typeof accountOf>, AccountEvent>(
    events,
    'account',
    accountDecider,
  )) {
    const address = addressOf(account);
    if (address !== null) lines.push(`${await persons.emailDigest(address)} ${userId}`);
    if (account.status !== 'absent')
      lines.push(...account.identities.map(({ digest }) => `${digest} ${userId}`));
  }
  for (const [id, organization] of states<typeof organizationDecider.initial, OrganizationEvent>(
    events,
    'organization',
    organizationDecider,
  ))
    if (organization.status === 'created' && organization.externalId !== null)
      lines.push(`${await persons.emailDigest(organization.externalId)} ${id}`);
  return lines.sort();
};
const accountOf = () => accountDecider.initial;

/** One market for all: the log behind it is another one each time. */
let log = memoryStore();
const behind = <K extends 'append' | 'read' | 'readEnd' | 'readBack'>(name: K) =>
  ((...given: Parameters<EventStore[K]>) =>
    (log[name] as (...of: unknown[]) => unknown)(...given)) as EventStore[K];
const market = marketplace({}, {
  append: behind('append'),
  read: behind('read'),
  readEnd: behind('readEnd'),
  readBack: behind('readBack'),
} as EventStore);

const running = new AsyncLocalStorage<'first'>();

/** A log of its own, in which something happens before the given step of the first command: a read or an append. */
const stage = (at: number, happens: () => Promise<void> | void) => {
  let steps = 0;
  const step = async () => {
    if (running.getStore() === 'first' && steps++ === at) await running.exit(async () => happens());
  };
  // The fence knows another log by now.
  for (const subject of market.fence.rows().keys()) market.fence.remove(subject);
  log = memoryStore({ beforeRead: step, beforeAppend: step, afterAppend: step }, prepared.events);
  return {
    first: (command: Command) => running.run('first', () => command(market)),
    agrees: async (label: string) =>
      expect([label, claimed(log.all())]).toEqual([label, await recorded(log.all())]),
    reached: () => steps > at,
  };
};

const pairs = (commands: Readonly<Record<string, Command>>) =>
  Object.entries(commands).flatMap((first) =>
    Object.entries(commands).map((second) => [first, second] as const),
  );

const everywhere = async (
  commands: Readonly<Record<string, Command>>,
  play: (place: { first: Command; second: Command; at: number; label: string }) => Promise<boolean>,
) => {
  let played = 0;
  for (const [[name, first], [other, second]] of pairs(commands))
    for (let at = 0; await play({ first, second, at, label: `${name} | ${other} | step ${at}` }); at += 1)
      played += 1;
  return played;
};

test.each([
  ['accounts', ofAccounts, 2_000],
  ['organizations', ofOrganizations, 200],
] as const)(
  'FX-02: the claims of %s are what their streams record, whichever command comes between any two steps of another',
  async (_of, commands, atLeast) => {
    const played = await everywhere(commands, async ({ first, second, at, label }) => {
      const place = stage(at, async () => void (await second(market)));
      await place.first(first);
      await place.agrees(label);
      return place.reached();
    });
    expect(played).toBeGreaterThan(atLeast);
  },
);

test.each([
  ['accounts', ofAccounts, 2_000],
  ['organizations', ofOrganizations, 200],
] as const)(
  'FX-02: the claims of %s are what their streams record, if a command is killed at any step and run again after another one',
  async (_of, commands, atLeast) => {
    const played = await everywhere(commands, async ({ first, second, at, label }) => {
      let isKilled = false;
      const place = stage(at, () => {
        isKilled = true;
        throw new Error('killed');
      });
      await place.first(first).catch((error: unknown) => {
        if (!isKilled) throw error;
      });
      await second(market);
      await first(market);
      await place.agrees(label);
      return place.reached();
    });
    expect(played).toBeGreaterThan(atLeast);
  },
);
