import type { Commands } from '../../../src/commands/commands.ts';
import { verifyCredential } from '../../../src/commands/credentials/credentials.ts';
import type { ExchangeCode } from '../../../src/commands/access/exchange-code.ts';
import type { IssueCode } from '../../../src/commands/access/issue-code.ts';
import { makeNewId } from '../../../src/commands/kernel/new-id.ts';
import type { GrantDependencies, Outages } from '../../../src/commands/access/dependencies.ts';
import type { Lifetimes } from '../../../src/commands/kernel/dependencies.ts';
import type { RefreshToken } from '../../../src/commands/access/refresh-token.ts';
import { usualRegistration } from '../../../src/domain/addons/addon.ts';
import type { DomainEvent } from '../../../src/domain/events.ts';
import { allowableScopes } from '../../../src/domain/access/scope.ts';
import type { Fence } from '../../../src/domain/fence/fence.ts';
import { accountStream, addonStream, organizationStream } from '../../../src/domain/streams.ts';
import type { EventStore } from '../../../src/eventstore/event-store.ts';
import { challenge, lifetimes, t0, terms, verifier } from '../scenes/grants.ts';
import { memoryFence, type MemoryFenceHooks } from './memory-fence.ts';
import { memoryWriteSide } from './memory-write-side.ts';
import { memoryStore, type MemoryStoreHooks } from './memory-store.ts';
import { valueOf } from '../outcomes.ts';
import { tracedCommands } from './traced-commands.ts';

export const keys = { current: 'k1', keys: new Map([['k1', new Uint8Array(32).fill(7)]]) };

export type IssuanceOptions = {
  readonly store: EventStore;
  readonly fence: Fence;
  readonly lifetimes?: Partial<Lifetimes>;
  readonly rotationsPerHour?: number;
  readonly outages?: Outages;
};

/**
 * The commands around a grant, on the given log and fence, with a clock that tests move. Parameters default to correct
 * values.
 */
export const issuanceOver = ({
  store,
  fence,
  lifetimes: changed,
  rotationsPerHour = 0,
  outages,
}: IssuanceOptions) => {
  let time = t0;
  const now = () => time;
  const newId = makeNewId(now);
  const instance = (
    more: { readonly store?: EventStore; readonly knownGrants?: GrantDependencies['knownGrants'] } = {},
  ): Commands => {
    const { knownGrants } = more;
    const common = { store: more.store ?? store, fence, keys, now, newId };
    return tracedCommands(
      memoryWriteSide(
        { ...common, lifetimes: { ...lifetimes, ...changed } },
        { access: { rotationsPerHour, ...(outages && { outages }), ...(knownGrants && { knownGrants }) } },
      ),
    );
  };
  const commands = instance();
  const addonId = newId();
  const organizationId = newId();
  const userId = newId();
  const activate = () => commands.activateAddon({ addonId, organizationId, by: userId, sessionId: null });

  const issueOutcome = async (changes: Partial<IssueCode> = {}, by = commands) => {
    const { epoch } = await commands.showActivation(organizationId, addonId);
    const subject = { kind: 'organization', organizationId, epoch } as const;
    const { scopes, redirectUri, nonce, resources, authTime } = terms;
    const approved = { scopes, redirectUri, nonce, resources, authTime, codeChallenge: challenge };
    return by.issueCode({ addonId, userId, subject, ...approved, ...changes });
  };
  const issue = async (changes: Partial<IssueCode> = {}, by = commands) =>
    valueOf(await issueOutcome(changes, by)).code;
  const exchange = (code: string, changes: Partial<ExchangeCode> = {}, by = commands) =>
    by.exchangeCode({
      addonId,
      code,
      redirectUri: terms.redirectUri,
      codeVerifier: verifier,
      resources: null,
      ...changes,
    });
  const refresh = (refreshToken: string, changes: Partial<RefreshToken> = {}, by = commands) =>
    by.refreshToken({ addonId, refreshToken, scopes: null, resources: null, ...changes });

  return {
    store,
    fence,
    commands,
    /** A second instance of the service on the same log and fence, with a cache of its own. */
    instance,
    addonId,
    organizationId,
    userId,
    pass: (milliseconds: number) => (time += milliseconds),
    activate,
    deactivate: () => commands.deactivateAddon({ addonId, organizationId, by: userId }),
    issueOutcome,
    issue,
    exchange,
    refresh,
    /** The grant id in a code, to read the grant's stream. */
    grantIdOf: (code: string) => verifyCredential(keys, 'code', code)?.grantId ?? '',
    /** The first token pair of a new grant. */
    newPair: async (changes: Partial<IssueCode> = {}) => valueOf(await exchange(await issue(changes))),
    /** Registers the add-on, creates the organization and the user's account, like an operator. */
    async prepare({
      configurationUrl = 'https://addon.example/configure' as string | null,
      confidential = false,
    } = {}) {
      const { redirectUri } = terms;
      const about = {
        addonId,
        name: 'Door',
        configurationUrl,
        allowedScopes: allowableScopes,
        confidential,
        at: t0,
      };
      const registered = { ...about, ...usualRegistration, redirectUris: [redirectUri] };
      const created = { organizationId, name: 'Town', at: t0 };
      const person = {
        userId,
        email: 'ada@example.com',
        emailVouchedBy: 'operator' as const,
        name: 'Ada',
        roles: [],
        at: t0,
      };
      await append(store, addonStream(addonId), { type: 'AddonRegistered', data: registered });
      await append(store, organizationStream(organizationId), { type: 'OrganizationCreated', data: created });
      await append(store, accountStream(userId), { type: 'AccountCreated', data: person });
    },
  };
};

const append = async (store: EventStore, stream: Parameters<EventStore['append']>[0], event: DomainEvent) => {
  const { revision } = await store.read(stream);
  await store.append(stream, revision, [{ event }]);
};

type MemoryHooks = MemoryStoreHooks & { readonly fence?: MemoryFenceHooks };

/** With a log and a fence in memory; the add-on is active at epoch 1. */
export const issuance = async (
  hooks: MemoryHooks = {},
  changed: Partial<Lifetimes> = {},
  outages?: Outages,
) => {
  const reads: string[] = [];
  const store = memoryStore({
    ...hooks,
    beforeRead: (stream) => {
      reads.push(stream);
      return hooks.beforeRead?.(stream);
    },
  });
  const fence = memoryFence(hooks.fence);
  const over = issuanceOver({ store, fence, lifetimes: changed, ...(outages && { outages }) });
  await over.prepare();
  valueOf(await over.activate());
  return {
    ...over,
    store,
    fence,
    /** Streams that were read, in order. */
    reads,
    /** Types of the events in grant streams, in order. */
    grantEvents: () =>
      store
        .all()
        .filter(({ stream }) => stream.startsWith('grant-'))
        .map(({ event }) => event.type),
  };
};

/** The grant whose stream was written last. */
export const grantIdIn = (store: { all(): readonly { stream: string }[] }): string =>
  store
    .all()
    .findLast(({ stream }) => stream.startsWith('grant-'))
    ?.stream.slice('grant-'.length) ?? '';
