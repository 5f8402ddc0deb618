import { beforeAll, describe, expect, test } from 'vitest';
import { compileMutated, type Found, type Mutation } from './mutated-copies.ts';

type Case = Mutation & { readonly foundIn: string };

const grant = 'domain/access/grant.ts';
const activation = 'domain/organizations/activation.ts';
const ofGrants = 'decisions/grant-decisions.ts';
const ofActivations = 'decisions/activation-decisions.ts';
const revokedData = 'readonly data: { readonly reason: GrantRevocationReason; readonly at: Instant };';
const withheldData =
  "readonly type: 'TokensWithheld';\n      readonly data: { readonly rotation: number; readonly at: Instant };";

/** What somebody might change inside. */
const internalChanges: readonly Case[] = [
  {
    what: 'a new type of event',
    file: grant,
    from: 'export type GrantEvent =',
    to: "export type GrantEvent =\n  | { readonly type: 'GrantPainted'; readonly data: { readonly at: Instant } }",
    foundIn: 'decisions.ts',
  },
  {
    what: 'a type of event that is there no more',
    file: 'domain/people/account.ts',
    from: "readonly type: 'EmailClaimed'",
    to: "readonly type: 'AddressClaimed'",
    foundIn: 'decisions.ts',
  },
  {
    what: 'a new field',
    file: grant,
    from: revokedData,
    to: revokedData.replace('data: {', 'data: { readonly by: string;'),
    foundIn: ofGrants,
  },
  {
    what: 'a removed field that is published',
    file: grant,
    from: withheldData,
    to: withheldData.replace('readonly rotation: number; ', ''),
    foundIn: ofGrants,
  },
  {
    what: 'a removed field that is kept back',
    file: activation,
    from: 'readonly by: string;\n',
    to: '',
    foundIn: ofActivations,
  },
  {
    what: 'a renamed field',
    file: grant,
    from: withheldData,
    to: withheldData.replace('rotation', 'generation'),
    foundIn: ofGrants,
  },
  {
    what: 'a published field of another type',
    file: grant,
    from: withheldData,
    to: withheldData.replace('rotation: number', 'rotation: string'),
    foundIn: ofGrants,
  },
  {
    what: 'a published field that may be null now',
    file: grant,
    from: withheldData,
    to: withheldData.replace('rotation: number', 'rotation: number | null'),
    foundIn: ofGrants,
  },
  {
    what: 'a published time that is a text now',
    file: grant,
    from: withheldData,
    to: withheldData.replace('at: Instant', 'at: string'),
    foundIn: ofGrants,
  },
  {
    what: 'a field that is kept back and says more now',
    file: activation,
    from: 'readonly by: string;',
    to: 'readonly by: { readonly userId: string };',
    foundIn: ofActivations,
  },
  {
    what: 'one more value of a published list of values',
    file: grant,
    from: "'addon-retired',\n] as const",
    to: "'addon-retired',\n  'bored',\n] as const",
    foundIn: ofGrants,
  },
  {
    what: 'one more field inside a subject',
    file: grant,
    from: 'readonly organizationId: string; readonly epoch: number }',
    to: 'readonly organizationId: string; readonly epoch: number; readonly name: string }',
    foundIn: ofGrants,
  },
  {
    what: 'one more kind of subject',
    file: grant,
    from: 'export type GrantSubject =',
    to: "export type GrantSubject =\n  | { readonly kind: 'team'; readonly teamId: string; readonly epoch: number }",
    foundIn: 'identity.ts',
  },
];

/** What somebody might change of the contract without the mapping, or of the mapping without the contract. */
const halfChanges: readonly Case[] = [
  {
    what: 'a promise of one more field',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: 'data: z.strictObject({ ...identity, rotation, at }),',
    to: 'data: z.strictObject({ ...identity, rotation, at, color: z.string() }),',
    foundIn: ofGrants,
  },
  {
    what: 'a promise of one field less',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: 'data: z.strictObject({ ...identity, rotation, at }),',
    to: 'data: z.strictObject({ ...identity, at }),',
    foundIn: ofGrants,
  },
  {
    what: 'a promise of one more value',
    file: 'kafka/contract/messages/grant-messages.ts',
    from: "'account-disabled',",
    to: "'account-disabled', 'bored',",
    foundIn: ofGrants,
  },
  {
    what: 'a promise that leaves a field out at times',
    file: 'kafka/contract/messages/fields.ts',
    from: 'export const rotation = z\n  .int()\n  .min(0)',
    to: 'export const rotation = z\n  .int()\n  .min(0)\n  .optional()',
    foundIn: ofGrants,
  },
  {
    what: 'another name in the mapping',
    file: 'kafka/contract/decisions/activation-decisions.ts',
    from: "as('epoch', ",
    to: "as('turn', ",
    foundIn: ofActivations,
  },
  {
    what: 'a promised field that is kept back',
    file: 'kafka/contract/decisions/activation-decisions.ts',
    from: "as('epoch', plain<number>())",
    to: "kept<number>('is nobody else\\'s business')",
    foundIn: ofActivations,
  },
  {
    what: 'who acted is published beside',
    file: 'kafka/contract/decisions/activation-decisions.ts',
    from: "kept<string>('names who acted')",
    to: "as('by', plain<string>())",
    foundIn: ofActivations,
  },
];

const untouched: Mutation = { what: 'nothing', file: grant, from: '', to: '' };

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
