import type { Browser, BrowserContext, Page } from 'playwright-core';
import type { RecordedEvent } from '../../src/eventstore/event-store.ts';
import type { HttpParts } from '../../src/compose/server.ts';
import { noteOutcomes } from '../../src/signals/push/note-outcomes.ts';
import { findDue } from '../../src/signals/push/push-table.ts';
import { supportedTypes } from '../../src/signals/set-types.ts';
import type { HttpApp, OwnHttpApp } from '../support/scenes/http-app.ts';
import {
  activate,
  createUser,
  listWith,
  obtainTokens,
  password,
  setScene,
  type Scene,
} from '../support/scenes/http-scene.ts';
import { completeRevocation } from '../support/servers/in-use.ts';
import { startListeningApp } from '../support/servers/listening-app.ts';
import { memoryStore } from '../support/memory/memory-store.ts';
import { valueOf } from '../support/outcomes.ts';
import { testBrowser } from '../support/scenes/pages.ts';
import { issuer, queueTold } from '../support/scenes/told-addons.ts';
import { wearOut } from '../support/scenes/wear-out.ts';
import { operatorStatus } from './operator-status.ts';
import { cookieName } from '../../src/http/session/cookies.ts';

/** Who looks at a page. Ada administers two organizations, Ben none; Audrey audits one and operates; Mia is a member of a publisher; a stranger is not signed in. */
export type Who = 'ada' | 'ben' | 'audrey' | 'mia' | 'stranger';

/** A service that listens, with people and add-ons in every state that a page can show. */
export type Stage = {
  readonly http: HttpApp;
  readonly baseUrl: string;
  readonly harbour: Scene;
  /**
   * Add-ons by what they are an example of; `clientId` and the harbour's administrator. `stranded` and `worn` are in the annex; `charted`
   * was changed by its publisher.
   */
  readonly addons: Readonly<
    Record<
      | 'active'
      | 'unknownToBen'
      | 'forUsers'
      | 'suspended'
      | 'ended'
      | 'fickle'
      | 'stranded'
      | 'worn'
      | 'charted',
      Scene
    >
  >;
  readonly benEmail: string;
  /** The one page of each: another one costs Chromium a second, and an address that is opened forgets the one before. */
  page(who: Who): Promise<Page>;
  close(): Promise<void>;
};

export const setStage = async (
  chrome: Browser,
  around: (needs: HttpParts) => HttpParts = (needs) => needs,
): Promise<Stage> => {
  let unheard: bigint | null = null;
  const store = memoryStore();
  const http = await startListeningApp({
    store,
    around: (needs) =>
      around({
        ...needs,
        serviceStatus: () => Promise.resolve(operatorStatus),
        readModels: {
          ...needs.readModels,
          waitFor: async (position, ms) =>
            position.commit !== unheard && needs.readModels.waitFor(position, ms),
        },
      }),
  });
  const { baseUrl } = http;
  const harbour = await setScene(http);
  const annex = valueOf(await http.commands.createOrganization({ name: 'Harbour Annex' }));
  const email = 'ada@stage.example';
  const userId = await createUser(http, email, [harbour.organizationId, annex.organizationId]);
  const ada = { ...harbour, email, userId };
  const benEmail = 'ben@stage.example';
  const ben = { email: benEmail, name: 'Ben Bosun', password, administratorOf: [], roles: [] };
  valueOf(await http.commands.createUser(ben));
  const audrey = {
    ...ben,
    email: 'audrey@stage.example',
    name: 'Audrey Astern',
    roles: ['auditor' as const, 'operator' as const],
  };
  const auditorOf = [harbour.organizationId];
  valueOf(await http.commands.createUser({ ...audrey, auditorOf }));
  const add = async (name: string, configurationUrl?: null): Promise<Scene> => {
    const { clientId } = await setScene(http, {
      name,
      ...(configurationUrl === null && { configurationUrl }),
    });
    return { ...ada, clientId };
  };
  const addons = {
    active: { ...ada, clientId: harbour.clientId },
    unknownToBen: await add('Gate Keeper'),
    forUsers: await add('Tide Clock', null),
    suspended: await add('Lost Buoy'),
    ended: await add('Old Key'),
    fickle: await add('Mooring Map'),
    charted: {
      ...ada,
      clientId: (await setScene(http, { name: 'Chart Plotter', confidential: true })).clientId,
    },
  };
  const mia = { ...ben, email: 'mia@stage.example', name: 'Mia Mast' };
  const member = valueOf(await http.commands.createUser(mia)).userId;
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Charts Ltd' }));
  const published = addons.fickle.clientId;
  for (const addonId of [published, addons.charted.clientId])
    valueOf(await http.commands.updateAddon({ addonId, publisherId }));
  valueOf(await http.commands.addPublisherMember({ publisherId, userId: member }));
  const own = { addonId: published, member: { userId: member, byClaim: true }, isFree: false };
  valueOf(await http.commands.proposeAddonChange({ ...own, website: 'https://charts.example/' }));
  const told = valueOf(
    await http.commands.createSignalStream({
      addonId: addons.active.clientId,
      caller: 'operator',
      configuration: {
        method: 'push',
        endpointUrl: 'https://doors.example/signals',
        authorization: null,
        eventsRequested: supportedTypes(issuer),
        description: null,
      },
    }),
  );
  const stranded = { ...addons.ended, organizationId: annex.organizationId };
  const worn = { ...addons.fickle, organizationId: annex.organizationId };
  for (const scene of [
    addons.active,
    { ...addons.active, ...annex },
    addons.ended,
    addons.suspended,
    addons.charted,
  ])
    await activate(http, scene);
  await activate(http, stranded);
  await http.commands.deactivateAddon({ ...addonOf(addons.ended), by: userId });
  const strandedAt = await http.commands.deactivateAddon({ ...addonOf(stranded), by: userId });
  if (strandedAt.ok) unheard = strandedAt.value.position.commit;
  await completeRevocation(http, addons.ended, 0);
  await wearOut(http, { ...addonOf(worn), by: userId }, Date.now());
  const browser = testBrowser(http.app);
  await obtainTokens(http, { ...addons.forUsers, email: benEmail }, { change: { scope: 'profiles:read' } });
  await obtainTokens(http, { ...addons.active, email: benEmail });
  await obtainTokens(http, { ...addons.suspended, email: benEmail });
  const organization = `organization:${harbour.organizationId}`;
  const change = { scope: 'profiles:read' };
  const first = await obtainTokens(http, addons.active, { browser, subject: organization, change });
  await http.commands.revokeToken({ addonId: addons.active.clientId, token: first.refresh_token });
  const { access_token } = await obtainTokens(http, addons.active, {
    browser,
    subject: organization,
    change,
  });
  for (const page of ['1', '2']) await listWith(http, `/profiles?page=${page}`, access_token);
  await http.storeReads();
  await http.commands.suspendAddon(addons.suspended.clientId);
  const token = { userId, by: userId, days: 30 };
  const { organizationId } = harbour;
  const { issueAdministratorToken } = http.commands;
  valueOf(await issueAdministratorToken({ ...token, organizationId, name: 'Nightly audit' }));
  valueOf(await issueAdministratorToken({ ...token, organizationId: null, name: 'Terraform' }));
  await http.settle();
  spread(store.all(), Date.now());
  const charted = { ...own, addonId: addons.charted.clientId };
  valueOf(
    await http.commands.addOwnAddonSecret(charted, {
      traceparent: '',
      acting: { actor: member, tokenId: null },
    }),
  );
  await use(http, charted.addonId);
  await http.settle();
  await http.tellHistory();
  await queueTold(http.database.url, store);
  await pushOnce(http.pool, told.stream.streamId);
  const emails = { ada: email, ben: benEmail, audrey: audrey.email, mia: mia.email };
  const people = await signInAll(chrome, http, baseUrl, emails);
  return {
    http,
    baseUrl,
    harbour: ada,
    addons: { ...addons, stranded, worn },
    benEmail,
    page: async (who) => people[who].pages()[0] ?? (await people[who].newPage()),
    close: async () => {
      await Promise.all(Object.values(people).map((context) => context.close()));
      await http.close();
    },
  };
};

/** As if it had happened in the last weeks: pictures of it have a length. */
const spread = (log: readonly RecordedEvent[], now: number): void => {
  for (const [index, event] of log.entries())
    Object.assign(event, { created: now - (log.length - index) * 5_400_000 });
};

/** As if an instance had counted what the add-on did in two days. */
const use = async ({ pool }: OwnHttpApp, addonId: string): Promise<void> => {
  const day = 86_400_000;
  const today = Date.now() - (Date.now() % day);
  for (const [ago, kind, name, count] of [
    [1, 'token', 'token', 212],
    [1, 'list', 'profiles', 3120],
    [1, 'list', 'reservations', 418],
    [1, 'refusal', 'token invalid_grant', 3],
    [0, 'token', 'token', 87],
    [0, 'list', 'profiles', 940],
    [0, 'refusal', 'profiles token-expired', 12],
    [0, 'limit', 'addon', 2],
  ] as const)
    await pool.query('insert into addon_usage values ($1, $2, $3, $4, $5, $6, $7)', [
      addonId,
      today - ago * day,
      kind,
      name,
      count,
      Date.now(),
      '01JZZZZZZZZZZZZZZZZZZZZZZX',
    ]);
};

/** As if the worker had pushed: the receiver has taken the first SET, and refuses the rest. */
const pushOnce = async (pool: OwnHttpApp['pool'], streamId: string): Promise<void> => {
  const at = Date.now() - 60_000;
  const client = await pool.connect();
  const [found] = await findDue(client, [{ streamId, most: 10 }], at);
  const outcomes = (found?.due ?? []).map((set, place) => ({
    set,
    error: place === 0 ? null : 'answered 503 instead of 202',
  }));
  await noteOutcomes(client, outcomes, { now: () => at });
  client.release();
};

const addonOf = ({ organizationId, clientId }: Scene) => ({ organizationId, addonId: clientId });

/** With scripts, which no page of ours has, so that the tests can look around in the page. */
const signInAll = async (
  chrome: Browser,
  { commands }: HttpApp,
  url: string,
  emails: Readonly<Record<Exclude<Who, 'stranger'>, string>>,
): Promise<Readonly<Record<Who, BrowserContext>>> => {
  const contextOf = async (email: string | null): Promise<BrowserContext> => {
    const context = await chrome.newContext({ bypassCSP: true });
    if (email === null) return context;
    const { cookie } = valueOf(await commands.signIn({ email, password, from: null }));
    const name = cookieName({ baseUrl: url, secureCookies: false }, 'session');
    await context.addCookies([{ name, value: cookie, url }]);
    return context;
  };
  return {
    ada: await contextOf(emails.ada),
    ben: await contextOf(emails.ben),
    audrey: await contextOf(emails.audrey),
    mia: await contextOf(emails.mia),
    stranger: await contextOf(null),
  };
};
