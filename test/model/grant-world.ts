import type { Commands } from '../../src/commands/commands.ts';
import type { Outcome } from '../../src/commands/kernel/outcome.ts';
import type { TokenPair } from '../../src/commands/credentials/token-pair.ts';
import { makeRevokeOnDeactivation } from '../../src/reactions/revoke-on-deactivation.ts';
import { makeRevokeOwnGrants } from '../../src/reactions/make-revocations.ts';
import { outageWithin } from '../../src/domain/access/outage.ts';
import { fenceSubjectsOf, judgeFence } from '../../src/domain/fence/fence.ts';
import type { GrantSubject } from '../../src/domain/access/grant.ts';
import { terms, verifier } from '../support/scenes/grants.ts';
import { issuance } from '../support/memory/issuance.ts';
import type { memoryFence } from '../support/memory/memory-fence.ts';
import type { memoryStore } from '../support/memory/memory-store.ts';
import { memoryEpochGrants, memoryOwnGrants } from '../support/memory/memory-grants.ts';
import { refusalOf } from '../support/outcomes.ts';
import type { ModelLifetimes, Proof, RefreshAsk, RevokeAsk, Answer } from './grant-model.ts';

/** A grant as an add-on and an attacker hold it: its code, and every pair that was ever answered, by rotation. */
export type HeldGrant = { readonly grantId: string; readonly code: string; readonly pairs: TokenPair[] };

/** Every success, for the invariants: what was presented and what was answered. */
export type Success = { readonly grantId: string; readonly presented: string; readonly pair: TokenPair };

export type World = Awaited<ReturnType<typeof openWorld>>;

const wrongly: Record<Proof, object> = {
  right: {},
  'verifier-mismatch': { codeVerifier: `${verifier}0` },
  'redirect-uri-mismatch': { redirectUri: 'https://addon.example/other' },
  'code-of-another-client': { addonId: terms.addonId },
};

/** Takes rows out of the fence, as a cleaner does in parallel with the commands. */
export type Clean = (needs: {
  readonly store: MemoryStore;
  readonly fence: ReturnType<typeof memoryFence>;
  readonly now: number;
}) => Promise<void>;

type MemoryStore = ReturnType<typeof memoryStore>;

/** Two instances of the real commands, each with its cache, over one log and one fence in memory. */
export const openWorld = async (lifetimes: ModelLifetimes, clean: Clean = () => Promise.resolve()) => {
  const outages: { readonly began: number; readonly ended: number }[] = [];
  const base = await issuance({}, lifetimes, {
    within: (from, until) => Promise.resolve(outageWithin(outages, from, until)),
  });
  const { store, fence, organizationId, addonId, userId, commands } = base;
  const instances: readonly Commands[] = [commands, base.instance()];
  const instanceOf = (turn: number) => instances[turn % instances.length] ?? commands;
  const grants: HeldGrant[] = [];
  const successes: Success[] = [];
  let now = base.pass(0);
  const needs = { store, fence, now: () => now };

  const held = (at: number): HeldGrant => {
    const grant = grants[at];
    if (!grant) throw new Error('no such grant');
    return grant;
  };

  const answerOf = (grant: HeldGrant, presented: string, outcome: Outcome<TokenPair, string>): Answer => {
    if (!outcome.ok) return outcome.refusal;
    const { value: pair } = outcome;
    successes.push({ grantId: grant.grantId, presented, pair });
    const known = grant.pairs.findIndex(({ refreshToken }) => refreshToken === pair.refreshToken);
    return `pair ${known >= 0 ? known : grant.pairs.push(pair) - 1}`;
  };

  /** The same request so many times at once, at one instance and the other by turns. */
  const atOnce = async <T>(width: number, run: (by: Commands) => Promise<T>): Promise<readonly T[]> =>
    Promise.all(Array.from({ length: width }, (_, turn) => run(instanceOf(turn))));

  return {
    store,
    grants,
    successes,
    now: () => now,
    clean: () => clean({ store, fence, now }),
    subject: { organizationId, addonId, userId },
    pass: (milliseconds: number) => void (now = base.pass(milliseconds)),
    beAway(milliseconds: number) {
      const began = now;
      now = base.pass(milliseconds);
      outages.push({ began, ended: now });
    },
    activate: async () => refusalOf(await base.activate()) ?? 'done',
    deactivate: async () => refusalOf(await base.deactivate()) ?? 'done',
    setSuspended: async (suspended: boolean) =>
      refusalOf(await (suspended ? commands.suspendAddon(addonId) : commands.resumeAddon(addonId))) ?? 'done',
    setDisabled: async (disabled: boolean) =>
      refusalOf(await (disabled ? commands.disableUser(userId) : commands.enableUser(userId))) ?? 'done',
    withdraw: async (turn: number) =>
      refusalOf(await instanceOf(turn).withdrawConsent({ userId, addonId })) ?? 'done',
    /** As the approval page does it; whoever comes with an older epoch has been overtaken and approves nothing. */
    async authorize({ own, epoch }: { readonly own: boolean; readonly epoch: number }, turn: number) {
      const present = (await commands.ownConsent({ userId, addonId })).subject;
      const subject: GrantSubject = own
        ? { kind: 'user', userId, epoch }
        : { kind: 'organization', organizationId, epoch };
      if (own && epoch === present.epoch)
        await instanceOf(turn).approveScopes({ userId, addonId, subject, scopes: terms.scopes });
      const { scopes, redirectUri, codeChallenge, nonce, resources, authTime } = terms;
      const approved = { scopes, redirectUri, codeChallenge, nonce, resources, authTime };
      const issued = await instanceOf(turn).issueCode({ ...approved, addonId, userId, subject });
      if (!issued.ok) return issued.refusal;
      const { code } = issued.value;
      grants.push({ grantId: base.grantIdOf(code), code, pairs: [] });
      return 'done';
    },
    async exchange(at: number, proof: Proof, width: number) {
      const grant = held(at);
      const outcomes = await atOnce(width, (by) => base.exchange(grant.code, wrongly[proof], by));
      return outcomes.map((outcome) => answerOf(grant, grant.code, outcome));
    },
    async refresh(at: number, { rotation, scopes, foreign }: RefreshAsk, width: number) {
      const grant = held(at);
      const presented = grant.pairs[rotation]?.refreshToken ?? '';
      const asked = { scopes, ...(foreign && { addonId: terms.addonId }) };
      const outcomes = await atOnce(width, (by) => base.refresh(presented, asked, by));
      return outcomes.map((outcome) => answerOf(grant, presented, outcome));
    },
    async revoke(at: number, { kind, rotation, foreign }: RevokeAsk, width: number) {
      const pair = held(at).pairs[rotation];
      if (!pair) throw new Error('no such pair');
      const asked = {
        addonId: foreign ? terms.addonId : addonId,
        token: kind === 'access' ? pair.accessToken : pair.refreshToken,
      };
      const outcomes = await atOnce(width, (by) => by.revokeToken(asked));
      return outcomes.map((outcome) => (outcome.ok ? outcome.value : outcome.refusal));
    },
    /** The reactions to everything so far, as a restart runs them again. */
    async react() {
      const react = makeRevokeOnDeactivation({ ...needs, epochGrants: memoryEpochGrants(store) });
      const reactToUser = makeRevokeOwnGrants({ ...needs, ownGrants: memoryOwnGrants(store) });
      const { signal } = new AbortController();
      const soFar = store.all().slice();
      for (const recorded of soFar) {
        await react(recorded, signal);
        await reactToUser(recorded, signal);
      }
      return 'done';
    },
    /** For each pair: with which scopes its access token would be answered with a list; null for not at all. */
    working: (grant: HeldGrant) =>
      Promise.all(
        grant.pairs.map(async ({ accessToken }) => {
          const claims = commands.verifyAccessToken(accessToken);
          if (claims === null) return null;
          const refusal = judgeFence(claims, await fence.read(fenceSubjectsOf(claims)));
          return refusal === null ? claims.scopes : null;
        }),
      ),
    /** What introspection says about each pair: the access token's scopes, and whether the refresh token is active. */
    introspected: (grant: HeldGrant, turn: number) =>
      Promise.all(
        grant.pairs.map(async ({ accessToken, refreshToken }) => {
          const look = (token: string) => instanceOf(turn).introspectToken({ addonId, token, audiences: [] });
          const [access, refresh] = await Promise.all([look(accessToken), look(refreshToken)]);
          return { access: access?.scopes ?? null, refresh: refresh !== null };
        }),
      ),
  };
};
