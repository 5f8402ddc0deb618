import { createHash } from 'node:crypto';
import { verifyCredential } from '../../../src/commands/credentials/credentials.ts';
import { activationsADay } from '../../../src/domain/organizations/activation.ts';
import type { AllowedScope } from '../../../src/domain/access/scope.ts';
import { valueOf } from '../../support/outcomes.ts';
import type { EpochEnd, Place } from './history.ts';
import type { Stage } from './stage.ts';

/** One organization and one add-on, from the first activation to the end of the run. */
export type Pair = {
  readonly organizationId: string;
  readonly addonId: string;
  readonly userId: string;
  /** Cookies of sessions of the organization's two administrators. */
  readonly administrators: readonly [string, string];
  /** The add-on's proof of who it is. */
  readonly basic: string;
  readonly ends: Map<number, EpochEnd>;
  /** Every code that was made, by epoch. */
  readonly grants: Map<number, string[]>;
  /** Tokens of epochs that have ended: they are tried again and again. */
  readonly ghosts: HeldGrant[];
  /** The activation that lives now, and when it was answered; epoch 0 before the first. */
  active: { readonly epoch: number; readonly since: number };
};

export type Tokens = { readonly access: string; readonly refresh: string };

/** A code as the add-on got it, and every pair it was answered for it. */
export type HeldGrant = {
  readonly grantId: string;
  readonly epoch: number;
  readonly code: string;
  readonly pairs: Tokens[];
  /** A `sync_token` of its list by the instance that gave it: each is an issuer of its own here. */
  readonly sync: Map<Place, string>;
};

const addonScopes: readonly AllowedScope[] = ['openid', 'profiles:read'];
export const redirectUri = 'https://addon.example/callback';
export const codeVerifier = 'attack-'.padEnd(64, 'v');
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url');
const password = 'correct horse battery staple';

/** A pair that was activated so often is given up for another: within a day it may not be much oftener. */
const wornOut = activationsADay - 20;

export const isWornOut = ({ active }: Pair): boolean => active.epoch >= wornOut;

let casts = 0;

/**
 * As many pairs as asked for; two add-ons share each organization, and each add-on is in several: what one pair loses
 * the others keep.
 */
export const makePairs = async ({ core }: Stage, count: number): Promise<readonly Pair[]> => {
  const { commands } = core;
  casts += 1;
  const perOrganization = 2;
  const organizations = await times(Math.ceil(count / perOrganization), async (index) =>
    valueOf(await commands.createOrganization({ name: `House ${index}` })),
  );
  const addons = await times(perOrganization, async (index) => {
    const registration = { name: `Door ${index}`, redirectUris: [redirectUri], idTokenAlg: 'ES256' } as const;
    const more = { configurationUrl: redirectUri, allowedScopes: addonScopes, confidential: true };
    return valueOf(await commands.registerAddon({ ...registration, ...more }));
  });
  const people = await times(2, async (index) => {
    const account = { email: `administrator${index}.${casts}@example.com`, password };
    const roles = { administratorOf: organizations.map(({ organizationId }) => organizationId), roles: [] };
    return { ...account, ...valueOf(await commands.createUser({ ...account, name: 'Ada', ...roles })) };
  });
  const session = async (account: { email: string; password: string }) =>
    valueOf(await commands.signIn({ ...account, from: null })).cookie;
  const [first, second] = people;
  if (!first || !second) throw new Error('nobody administers');
  const other = await session(second);
  return times(count, async (index): Promise<Pair> => {
    const organization = organizations[Math.floor(index / perOrganization)];
    const addon = addons[index % perOrganization];
    if (!organization || !addon) throw new Error('no pair');
    const { clientId, clientSecret } = addon;
    return {
      organizationId: organization.organizationId,
      addonId: clientId,
      userId: first.userId,
      administrators: [await session(first), other], // each activation is noted in the session of the first
      basic: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
      ends: new Map<number, EpochEnd>(),
      grants: new Map<number, string[]>(),
      ghosts: [],
      active: { epoch: 0, since: 0 },
    };
  });
};

/** A code made without the servers, as the approval page would have made it. */
export const makeCode = async ({ core }: Stage, pair: Pair): Promise<HeldGrant> => {
  const { organizationId, addonId, userId } = pair;
  const { epoch } = pair.active;
  const terms = { redirectUri, codeChallenge, nonce: null, resources: [], scopes: addonScopes };
  const subject = { kind: 'organization', organizationId, epoch } as const;
  const { code } = valueOf(
    await core.commands.issueCode({ addonId, userId, subject, authTime: Date.now(), ...terms }),
  );
  const grantId = verifyCredential(core.keys, 'code', code)?.grantId ?? '';
  pair.grants.set(epoch, [...(pair.grants.get(epoch) ?? []), grantId]);
  return { grantId, epoch, code, pairs: [], sync: new Map() };
};

const times = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => make(index)));
