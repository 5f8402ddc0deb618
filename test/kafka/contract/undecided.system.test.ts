import { beforeAll, describe, expect, test } from 'vitest';
import { compileMutated, type Found, type Mutation } from './mutated-copies.ts';

type Case = Mutation & { readonly foundIn: string };

const grants = 'domain/access/events.ts';
const organizations = 'domain/organizations/events.ts';
const revoked = '{ reason: z.enum(grantRevocationReasons), at: instant },';
const withheld = 'TokensWithheld: mustKnow(\n    { rotation: whole, at: instant },';

/** What somebody might change inside. */
const internalChanges: readonly Case[] = [
  {
    what: 'a new type of event',
    file: grants,
    from: 'export const grantEvents = {',
    to: "export const grantEvents = {\n  GrantPainted: mustKnow({ at: instant }, { ...ofGrant, sentence: () => '' }),",
    foundIn: grants,
  },
  {
    what: 'a type of event that is there no more',
    file: grants,
    from: 'TokensWithheld:',
    to: 'TokensKept:',
    foundIn: 'kafka/contract/decisions.ts',
  },
  {
    what: 'a new field',
    file: grants,
    from: revoked,
    to: revoked.replace('{ reason', '{ by: z.string(), reason'),
    foundIn: grants,
  },
  {
    what: 'a removed field that is published',
    file: grants,
    from: withheld,
    to: withheld.replace('rotation: whole, ', ''),
    foundIn: grants,
  },
  {
    what: 'a removed field that is kept back',
    file: organizations,
    from: '  by: z.string(),\n',
    to: '',
    foundIn: organizations,
  },
  {
    what: 'a renamed field',
    file: grants,
    from: withheld,
    to: withheld.replace('rotation', 'generation'),
    foundIn: grants,
  },
  {
    what: 'a published field of another type',
    file: grants,
    from: withheld,
    to: withheld.replace('rotation: whole', 'rotation: z.string()'),
    foundIn: grants,
  },
  {
    what: 'a published field that may be null now',
    file: grants,
    from: withheld,
    to: withheld.replace('rotation: whole', 'rotation: whole.nullable()'),
    foundIn: grants,
  },
  {
    what: 'a published time that is a text now',
    file: 'domain/describe-event.ts',
    from: 'export const instant = z.int();',
    to: 'export const instant = z.string();',
    foundIn: grants,
  },
  {
    what: 'a field that is kept back and says more now',
    file: organizations,
    from: '  by: z.string(),\n',
    to: '  by: z.strictObject({ userId: z.string() }),\n',
    foundIn: organizations,
  },
  {
    what: 'one more value of a published list of values',
    file: grants,
    from: "'addon-retired',\n] as const",
    to: "'addon-retired',\n  'bored',\n] as const",
    foundIn: 'kafka/contract/decisions.ts',
  },
  {
    what: 'one more field inside a subject',
    file: grants,
    from: 'organizationId: z.string(), epoch: whole }),',
    to: 'organizationId: z.string(), epoch: whole, name: z.string() }),',
    foundIn: grants,
  },
  {
    what: 'one more kind of subject',
    file: grants,
    from: "z.discriminatedUnion('kind', [",
    to: "z.discriminatedUnion('kind', [z.strictObject({ kind: z.literal('team'), teamId: z.string(), epoch: whole }),",
    foundIn: 'kafka/contract/identity.ts',
  },
];

/** What somebody might change of the contract without the mapping, or of the mapping without the contract. */
const halfChanges: readonly Case[] = [
  {
    what: 'a promise of one more field',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: '{ rotation, at },',
    to: '{ rotation, at, color: z.string() },',
  },
  {
    what: 'a promise of one field less',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: '{ rotation, at },',
    to: '{ at },',
  },
  {
    what: 'a promise of one more value',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: "'account-disabled',",
    to: "'account-disabled', 'bored',",
  },
  {
    what: 'a promise that leaves a field out at times',
    file: 'kafka/contract/messages/fields.ts',
    from: 'export const rotation = z\n  .int()\n  .min(0)',
    to: 'export const rotation = z\n  .int()\n  .min(0)\n  .optional()',
  },
  {
    what: 'a promise of a message that no event makes',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: 'export const grantMessages = {',
    to: "export const grantMessages = {\n  AudienceApproved: ofGrant('grantbook.consent.painted.v1', '', { at }),",
  },
  {
    what: 'an event that is published without a promise',
    file: grants,
    from: "kafka: internal('it concerns another resource server; what comes of it goes out with the grant'),",
    to: "kafka: publish({ ...whoApproved, audience: kept<string>('x'), scopes: kept<readonly Scope[]>('x'), epoch: kept<number>('x'), choice: kept<string | null>('x'), at }),",
  },
  {
    what: 'another name in the mapping',
    file: organizations,
    from: "as('epoch', ",
    to: "as('turn', ",
  },
  {
    what: 'a promised field that is kept back',
    file: organizations,
    from: "as('epoch', plain<number>())",
    to: "kept<number>('is nobody else\\'s business')",
  },
  {
    what: 'who acted is published, too',
    file: organizations,
    from: "kept<string>('names who acted')",
    to: "as('by', plain<string>())",
  },
].map((half) => ({ ...half, foundIn: 'kafka/contract/decisions.ts' }));

const untouched: Mutation = { what: 'nothing', file: grants, from: '', to: '' };

describe('what is not decided does not compile', () => {
  let found: ReadonlyMap<string, readonly Found[]>;
  beforeAll(async () => {
    found = await compileMutated([untouched, ...internalChanges, ...halfChanges]);
  });

  test('what is decided does', () => {
    expect(found.get('nothing')).toEqual([]);
  });

  test.each([...internalChanges, ...halfChanges])('$what', ({ what, foundIn }) => {
    expect(found.get(what)?.map(({ file }) => file)).toContain(foundIn);
  });
});
