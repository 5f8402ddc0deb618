import type { DeliverLink } from '../../../src/mail/deliver-link.ts';
import { generateKeyPair, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { FastifyPluginCallback } from 'fastify';
import { exportJWK } from 'jose';
import { makeBackgroundTasks } from '../../../src/commands/kernel/background-tasks.ts';
import { defaultLifetimes } from '../../../src/commands/kernel/dependencies.ts';
import { makeNewId } from '../../../src/commands/kernel/new-id.ts';
import { makeBeginOnce, type OnceRow, type OnceTable } from '../../../src/commands/kernel/begin-once.ts';
import { makeCommands, type WriteSide } from '../../../src/commands/make-commands.ts';
import { makePasswords } from '../../../src/commands/people/credentials/passwords.ts';
import type { TokenKeys } from '../../../src/commands/credentials/token-keys.ts';
import type { Scope } from '../../../src/domain/access/scope.ts';
import type { Instant } from '../../../src/domain/kernel/decision.ts';
import { makeFederation } from '../../../src/federation/federation.ts';
import type { HttpConfig } from '../../../src/http/base/dependencies.ts';
import { makeBrowser } from '../../../src/http/base/browser.ts';
import { memoryCounters as memoryRates } from '../../../src/http/limits/counters/memory-counters.ts';
import { makeRateLimits, type Quotas } from '../../../src/http/limits/counters/rate-limits.ts';
import { audiencesOf } from '../../../src/http/oauth/token/resources.ts';
import { buildServer } from '../../../src/http/server.ts';
import { readTutorial } from '../../../src/process/package-root.ts';
import { asyncApiDocument } from '../../../src/kafka/contract/async-api/document.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import type { Metric } from '../../../src/observability/metrics/metric.ts';
import { makeIdTokens } from '../../../src/signing/id-tokens.ts';
import { compareEveryAnswer } from '../documents/described.ts';
import { memoryAddonGrants } from '../memory/memory-addon-grants.ts';
import { memoryCounters } from '../memory/memory-counters.ts';
import { memoryFence } from '../memory/memory-fence.ts';
import { memoryPersons } from '../memory/memory-persons.ts';
import { memoryReadModels } from '../memory/memory-read-models.ts';
import { memoryStore } from '../memory/memory-store.ts';
import { valueOf } from '../outcomes.ts';
import { quietLogger } from '../quiet-logger.ts';
import { challenge } from './grants.ts';
import { signInsByCommand } from './pages.ts';
import {
  cursorKeysOf,
  loggerInto,
  makeSignInByCommand,
  noQuotas,
  untilForgotten,
  type LogLine,
} from './http-app.ts';
import type { Flow, Scene } from './http-scene.ts';

type Options = {
  readonly store?: ReturnType<typeof memoryStore>;
  /** Of another app, which this one then is a second instance of. */
  readonly fence?: ReturnType<typeof memoryFence>;
  readonly keys?: TokenKeys;
  readonly now?: () => Instant;
  readonly config?: Partial<HttpConfig>;
  readonly stopping?: AbortSignal;
  /** Sends links for choosing a password; without it, no mail server is configured. */
  readonly mailLink?: DeliverLink;
  /** The clock does not move, except by `advance`. */
  readonly startAt?: Instant;
  readonly rotationsPerHour?: number;
  readonly quotas?: Partial<Quotas>;
};

/**
 * Starts only these plugins, on a server that treats requests and errors like the whole one. What they use is in memory,
 * so that there is no database and no projector; each plugin is given of it what it takes, or what the test makes.
 */
export const startPlugins = async (
  plugins: readonly Plugin[] | ((parts: Parts) => readonly FastifyPluginCallback[]),
  options: Options = {},
) => {
  const made = makeParts(options);
  const { parts } = made;
  const given = { ...parts, counted: () => counted() };
  const chosen = typeof plugins === 'function' ? plugins(given) : plugins.map((plugin) => plugin(given));
  const { app: whole, counted } = buildServer(parts, parts.browser, chosen);
  const answered = compareEveryAnswer(whole, parts.config);
  await whole.ready();
  const { app, forget } = untilForgotten(whole);
  signInsByCommand.set(app, made.signIn);
  return {
    ...made,
    app,
    answered,
    commands: parts.commands,
    baseUrl: parts.config.baseUrl,
    close: async () => {
      await whole.close();
      forget();
    },
  };
};

type Plugin = (parts: Parts) => FastifyPluginCallback;
export type PluginApp = Awaited<ReturnType<typeof startPlugins>>;
type Parts = ReturnType<typeof makeParts>['parts'] & { readonly counted: () => readonly Metric[] };

/** What only sign-in with a provider, what an add-on is told by signals, and timelines would use: there is none here. */
const absent = {} as never;

const passwords = await makePasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 });

const makeParts = ({
  store = memoryStore(),
  fence = memoryFence(),
  keys = { current: 'k1', keys: new Map([['k1', randomBytes(32)]]) },
  ...options
}: Options) => {
  let ahead = 0;
  let isTrusted = true;
  const now = options.now ?? (() => (options.startAt ?? Date.now()) + ahead);
  const background = makeBackgroundTasks(quietLogger());
  const writeSide: WriteSide = {
    common: { store, fence, keys, now, newId: makeNewId(now), lifetimes: defaultLifetimes },
    access: {
      rotationsPerHour: options.rotationsPerHour ?? 0,
      addonGrants: memoryAddonGrants(() => store.all()),
    },
    accounts: { persons: memoryPersons(), namesOfOrganizations: () => Promise.resolve(new Set<string>()) },
    credentials: { passwords, inBackground: background.inBackground },
    signIn: { signInCounters: memoryCounters(), signInsPerMinute: 0 },
    records: {},
  };
  const commands = makeCommands(writeSide);
  const lines: LogLine[] = [];
  const baseUrl = options.config?.baseUrl ?? 'http://127.0.0.1:8080';
  // It may have getters.
  const config: HttpConfig = Object.defineProperties(
    { baseUrl, issuer: baseUrl, secureCookies: false, syncRetentionDays: 30 },
    Object.getOwnPropertyDescriptors(options.config ?? {}),
  );
  const doneOnce = memoryDoneOnce();
  const base = {
    config,
    logger: loggerInto(lines),
    now,
    trusted: () => isTrusted,
    stopping: options.stopping ?? new AbortController().signal,
    commands,
    interactionKeys: [randomBytes(32)] as const,
    endInteraction: doneOnce.end,
    kept: memoryKept(),
    mailLink: options.mailLink ?? null,
    hasEnded: doneOnce.hasEnded,
    beginOnce: makeBeginOnce({ table: doneOnce, keys, now }),
  };
  return {
    store,
    fence,
    keys,
    now,
    lines,
    parts: {
      ...base,
      browser: makeBrowser(base),
      readModels: memoryReadModels({ commands, fence, store }),
      idTokens: makeIdTokens(memoryKeyRing(), now),
      cursorKeys: cursorKeysOf(keys),
      countRead: () => undefined,
      readUsage: () => Promise.resolve({ since: 0, days: [] }),
      federation: makeFederation({ local: true, providers: [], signIns: absent, now, guard: absent }),
      signalStreams: { failingAmong: () => Promise.resolve(new Set<string>()) } as never,
      timeline: absent,
      timeProblem: absent,
      readsCountedSince: () => Promise.resolve(0),
      countSilentGrant: () => Promise.resolve(null),
      signInBeat: 0,
      rateLimits: makeRateLimits({ ...noQuotas, ...options.quotas }, memoryRates(), () => Date.now()),
      readTutorial,
      asyncApi: (about: { readonly baseUrl: string; readonly issuer: string; readonly version: string }) =>
        asyncApiDocument({ ...about, topics: defaultTopicNames }),
      version: '0.0.0-test',
      commit: '0123456789abcdef',
    },
    advance: (milliseconds: number) => void (ahead += milliseconds),
    setTrusted: (value: boolean) => void (isTrusted = value),
    settle: () => background.settled(),
    signIn: makeSignInByCommand(commands, config),
    /** A code as the pages would issue it: no page is there. */
    codeOf: async ({ userId, clientId: addonId }: Scene, { subject = 'user', change = {} }: Flow) => {
      const [, organizationId] = subject.split(':');
      const addon = await commands.findAddon(addonId);
      const scopes = (change['scope']?.split(' ') ?? addon?.allowedScopes ?? []) as readonly Scope[];
      const whose =
        organizationId === undefined
          ? (await commands.ownConsent({ userId, addonId })).subject
          : {
              kind: 'organization' as const,
              organizationId,
              epoch: (await commands.showActivation(organizationId, addonId)).epoch,
            };
      const audiences = audiencesOf([], baseUrl);
      await commands.approveScopes({ userId, addonId, subject: whose, scopes, audiences });
      const issued = await commands.issueCode({
        addonId,
        userId,
        subject: whose,
        scopes,
        redirectUri: change['redirect_uri'] ?? addon?.redirectUris[0] ?? '',
        codeChallenge: change['code_challenge'] ?? challenge,
        nonce: change['nonce'] ?? null,
        resources: [],
        authTime: now(),
        authentication: { acr: null, amr: ['pwd'] },
      });
      return valueOf(issued).code;
    },
  };
};

/** As in the database, but that nothing expires. */
const memoryKept = () => {
  const rows = new Map<string, object>();
  const newest = (states: readonly string[]) => [...rows].findLast(([state]) => states.includes(state))?.[1];
  return {
    keep: (state: string, value: object) => Promise.resolve(void rows.set(state, value)),
    find: (states: readonly string[]) => Promise.resolve(newest(states) ?? null),
    take: (state: string) => {
      const value = newest([state]) ?? null;
      rows.delete(state);
      return Promise.resolve(value);
    },
  };
};

/** As in the database, but that nothing expires. */
const memoryDoneOnce = () => {
  const rows = new Map<string, OnceRow>();
  const none = Buffer.alloc(0);
  const ended = { tokenKeyId: '', fingerprint: none, salt: none, begunAt: 0, response: none };
  const table: OnceTable = {
    claim: (row) => {
      const found = rows.get(row.id);
      if (!found) rows.set(row.id, { ...row, response: null });
      return Promise.resolve({ ...(found ?? { ...row, response: null }), isMine: !found });
    },
    answer: (id, response) => {
      const row = rows.get(id);
      if (row) rows.set(id, { ...row, response });
      return Promise.resolve();
    },
    release: (id) => Promise.resolve(void rows.delete(id)),
    abandon: () => Promise.resolve(),
  };
  return {
    ...table,
    end: (id: string) => Promise.resolve(!rows.has(id) && rows.set(id, { id, ...ended }) !== null),
    hasEnded: (id: string) => Promise.resolve(rows.has(id)),
  };
};

const generate = promisify(generateKeyPair);

/** A key of each algorithm, made when it is first asked for. */
const memoryKeyRing = (): Parameters<typeof makeIdTokens>[0] => {
  const makeKeys = async () => {
    const pairs = [
      { alg: 'RS256', ...(await generate('rsa', { modulusLength: 2048 })) },
      { alg: 'ES256', ...(await generate('ec', { namedCurve: 'P-256' })) },
    ] as const;
    return Promise.all(
      pairs.map(async ({ alg, publicKey, privateKey }) => {
        const jwk = { ...(await exportJWK(publicKey)), kid: alg, use: 'sig', alg };
        return { kid: alg, alg, privateKey, jwk: jwk as never };
      }),
    );
  };
  let made: ReturnType<typeof makeKeys> | undefined;
  const keyOf = async (kid: string) => (await (made ??= makeKeys())).find((key) => key.kid === kid);
  return {
    publicKeys: async () => (await (made ??= makeKeys())).map(({ jwk }) => jwk),
    publicKeyOf: async (kid) => (await keyOf(kid))?.jwk ?? null,
    signer: async (alg) => {
      const key = await keyOf(alg);
      if (!key) throw new Error(`no key for ${alg}`);
      return key;
    },
  };
};
