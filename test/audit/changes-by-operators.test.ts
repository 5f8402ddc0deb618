import { allowableScopes } from '../../src/domain/access/scope.ts';
import { expect, test } from 'vitest';
import { organizationEvents } from '../../src/audit/event-lookup/organization-events.ts';
import type { CommandContext } from '../../src/commands/kernel/context.ts';
import { spelled } from '../../src/domain/describe-event.ts';
import type { AboutKind } from '../../src/domain/event-subjects.ts';
import { type EventType, subjectsOf, describeEvent } from '../../src/domain/events.ts';
import { idOf } from '../../src/domain/kernel/stream-name.ts';
import { publishedTypes } from '../../src/kafka/contract/decisions.ts';
import { terms } from '../support/scenes/grants.ts';
import { grantIdIn } from '../support/memory/issuance.ts';
import { marketplace, valueOf } from '../support/scenes/marketplace.ts';
import { memoryIndexes } from '../support/memory/memory-indexes.ts';
import { newAddon } from '../support/registering.ts';

const operator = '01K9RZ3Q5V0000000000000007';
const context: CommandContext = {
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  acting: { actor: operator, tokenId: '01K9RZ3Q5V0000000000000008' },
  reason: 'because of a test',
};
const provider = { provider: 'p', issuer: 'https://p.example' };

const setUp = async () => {
  const market = marketplace();
  const { organizationId } = valueOf(await market.createOrganization({ name: 'Mill' }));
  const person = async (name: string, roles: readonly 'operator'[]) => {
    const who = { email: `${name}@example.com`, name, password: 'correct horse', administratorOf: [], roles };
    return valueOf(await market.createUser(who)).userId;
  };
  await person('olga', ['operator']);
  const userId = await person('ada', ['operator']);
  const { clientId: addonId } = await newAddon(market, {
    name: 'Door',
    redirectUris: [terms.redirectUri],
    allowedScopes: allowableScopes,
  });
  const activation = { addonId, organizationId, by: userId, sessionId: null, asOperator: true };
  valueOf(await market.activateAddon(activation));
  const { nonce, resources, authTime, codeChallenge, redirectUri, scopes } = terms;
  const subject = { kind: 'organization', organizationId, epoch: 1 } as const;
  const asked = { subject, scopes, redirectUri, nonce, resources, authTime, codeChallenge };
  valueOf(await market.issueCode({ addonId, userId, ...asked }));
  return { ...market, organizationId, userId, addonId, grantId: grantIdIn(market.store) };
};

type Place = Awaited<ReturnType<typeof setUp>>;
type Outcome = Promise<{ readonly ok: boolean }>;

/** In an order in which each changes something; where it is told to: in the organization's export, on Kafka. */
const changes: readonly (readonly [
  EventType,
  AboutKind,
  ', the export' | '',
  ', Kafka' | '',
  (place: Place) => Outcome,
])[] = [
  [
    'OrganizationRenamed',
    'organization',
    ', the export',
    ', Kafka',
    (p) => p.updateOrganization({ ...p, name: 'Old Mill' }, context),
  ],
  [
    'OrganizationExternalIdSet',
    'organization',
    ', the export',
    '',
    (p) => p.updateOrganization({ ...p, externalId: 'x' }, context),
  ],
  ['AdministratorAdded', 'organization', ', the export', '', (p) => p.addAdministrator(idsOf(p), context)],
  [
    'AdministratorRemoved',
    'user',
    ', the export',
    '',
    (p) => p.removeAdministrator({ ...idsOf(p), force: true }, context),
  ],
  [
    'DeadLetterResent',
    'organization',
    '',
    '',
    (p) =>
      p
        .noteDeadLettersResent([{ ...letterOf(p), to: 'host.profiles', writtenAt: 1 }], context)
        .then(() => ({ ok: true })),
  ],
  [
    'DeadLetterShown',
    'organization',
    '',
    '',
    (p) => p.noteDeadLetterShown(letterOf(p), context).then(() => ({ ok: true })),
  ],
  ['AccountRenamed', 'user', '', '', (p) => p.updateUser({ ...p, name: 'Ada King' }, context)],
  ['AccountEmailChanged', 'user', '', '', (p) => p.updateUser({ ...p, email: 'king@example.com' }, context)],
  ['RoleGranted', 'user', '', '', (p) => p.grantRole({ ...p, role: 'auditor' }, context)],
  ['RoleRemoved', 'user', '', '', (p) => p.removeRole({ ...p, role: 'auditor' }, context)],
  ['IdentityLinked', 'user', '', '', (p) => p.linkIdentity({ ...p, ...provider, subject: 's' }, context)],
  ['IdentityUnlinked', 'user', '', '', (p) => p.unlinkIdentity({ ...p, ...provider }, context)],
  ['OperatorRemovalAllowed', 'user', '', '', (p) => p.disableUser(p.userId, context)],
  ['AccountEnabled', 'user', '', '', (p) => p.enableUser(p.userId, context)],
  ['AddonUpdated', 'addon', ', the export', ', Kafka', (p) => p.updateAddon({ ...p, name: 'Gate' }, context)],
  ['AddonSuspended', 'addon', ', the export', ', Kafka', (p) => p.suspendAddon(p.addonId, context)],
  ['AddonResumed', 'addon', ', the export', ', Kafka', (p) => p.resumeAddon(p.addonId, context)],
  [
    'GrantRevoked',
    'grant',
    ', the export',
    ', Kafka',
    (p) => p.revokeGrant({ ...p, reason: 'because of a test' }, context),
  ],
  ['AddonRetired', 'addon', ', the export', ', Kafka', (p) => p.retireAddon({ ...p, by: operator }, context)],
  [
    'OrganizationClosed',
    'organization',
    ', the export',
    ', Kafka',
    (p) => p.closeOrganization({ ...p }, context),
  ],
];

const letterOf = ({ organizationId }: Place) => ({
  topic: 'host.dead-letter',
  partition: 0,
  offset: '17',
  organizationId,
  by: operator,
});
const idsOf = ({ organizationId, userId }: Place) => ({ organizationId, userId });

const place = await setUp();

test.each(changes)(
  'AM-15: %s says who and why, in the timeline of its %s%s%s',
  async (type, kind, exported, published, change) => {
    const { store, organizationId } = place;
    const before = store.all().length;
    expect(await change(place)).toMatchObject({ ok: true });
    const all = store.all();
    const recorded = all.slice(before).find(({ event }) => event.type === type);
    if (!recorded) throw new Error(`no ${type}`);
    expect(recorded.metadata).toMatchObject({ actor: operator, reason: 'because of a test' });
    const streamId = idOf(recorded.stream);
    const owner = { organizationId, addonId: place.addonId, userId: place.userId };
    const kinds = subjectsOf(recorded.event, { streamId, owner }).map((about) => about.kind);
    expect(kinds).toContain(kind);
    const named = (id: string) => id;
    const told = describeEvent(recorded.event, {
      ...spelled,
      streamId,
      owner,
      organization: named,
      addon: named,
      user: named,
    });
    expect(JSON.stringify(told)).not.toMatch(/undefined|null|NaN/);
    const range = { until: recorded.position, signal: new AbortController().signal };
    const inExport: string[] = [];
    for await (const { id } of organizationEvents(
      memoryIndexes(all, { history: all.length, streams: all.length }),
      organizationId,
      range,
    ))
      inExport.push(id);
    expect(inExport.includes(recorded.id)).toBe(exported !== '');
    expect(publishedTypes.includes(type)).toBe(published !== '');
  },
);
