import { afterAll, describe, expect, test } from 'vitest';
import { activationStream } from '../../../src/domain/streams.ts';
import {
  activate,
  createUser,
  password,
  setScene,
  signedIn,
  type Scene,
} from '../../support/scenes/http-scene.ts';
import { completeRevocation, inUse, startWithReadModelsAway } from '../../support/servers/in-use.ts';
import { testBrowser, type TestBrowser } from '../../support/scenes/pages.ts';
import { cookieOf } from '../../support/scenes/our-cookies.ts';

const { http, whileAway } = await startWithReadModelsAway();
afterAll(() => http.close());

const browserOf = (email: string) => signedIn(http, { email });
const pageOf = ({ organizationId, clientId }: Pick<Scene, 'organizationId' | 'clientId'>) =>
  `/admin/organizations/${organizationId}/addons/${clientId}`;
const textOf = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .replaceAll(' .', '.')
    .replaceAll(' ,', ',');

const nobody = '01JZZZZZZZZZZZZZZZZZZZZZZX';

describe('the page of one add-on', () => {
  test('AC-04: tells what it holds, for whom, since when, and who let it', async () => {
    const { scene, browser } = await inUse(http);
    const page = await browser.get(pageOf(scene));
    expect(page.statusCode).toBe(200);
    const text = textOf(page.body);
    expect(text).toMatch(/Activated \d+ \w+ \d{4} at \d\d:\d\d:\d\d by Ada Ahoi/);
    expect(text).toContain('Grants 3 grants, approved by 2 people; 1 code never exchanged');
    expect(text).toContain('Sees names and contact details of its people, its access rights');
    expect(text).toMatch(/Last use Got its last token on \d+ \w+ \d{4} at/);
    expect(text).toContain('May ask for profiles, reservations, access rights');
    expect(text).toMatch(
      /Allowed: names and contact details of its people, its access rights 1 grant .*Allowed: names and contact details of its people 2 grants/,
    );
  });

  test('the CLI acts as the operator, and an add-on that never came for a token says so', async () => {
    const scene = await setScene(http);
    await activate(http, { ...scene, userId: 'break-glass' });
    const browser = await browserOf(scene.email);
    const text = textOf((await browser.get(pageOf(scene))).body);
    expect(text).toMatch(/Activated [^.]*by the operator/);
    expect(text).toContain('Last use Never used');
    expect(text).toContain('Approved by Nobody yet.');
  });

  test('AC-01: the button says where it leads, and what will be asked for', async () => {
    const scene = await setScene(http);
    const browser = await browserOf(scene.email);
    const page = await browser.get(pageOf(scene));
    const text = textOf(page.body);
    expect(text).toContain('State Never activated');
    expect(text).toContain('Activating sends you to addon.example, where you set the add-on up.');
    expect(text).toContain('asks for your approval of at most: profiles, reservations, access rights.');
    const answer = await browser.press(page, 'Activate');
    expect(answer.headers.location).toMatch(/^https:\/\/addon\.example\/configure\?.*activation_hint=/);
  });

  test('AC-01: where nothing was approved after activating, "Finish set-up" leads there again, handed off anew', async () => {
    const scene = await setScene(http);
    await activate(http, scene); // by another browser: this one was not handed off
    const browser = await browserOf(scene.email);
    const page = await browser.get(pageOf(scene));
    expect(textOf(page.body)).toContain('It is set up at addon.example');
    const answer = await browser.press(page, 'Finish set-up');
    expect(answer.headers.location).toMatch(/^https:\/\/addon\.example\/configure\?.*activation_hint=/);
    const session = await http.commands.readSession(cookieOf(browser, 'session') ?? '');
    expect(session?.handOffs).toEqual([{ organizationId: scene.organizationId, addonId: scene.clientId }]);
    const { scene: used, browser: theirs } = await inUse(http);
    expect((await theirs.get(pageOf(used))).body).not.toContain('Finish set-up');
    await http.commands.suspendAddon(scene.clientId);
    expect((await browser.get(pageOf(scene))).body).not.toContain('Finish set-up');
  });

  test('AC-02: an add-on without a configuration URL says why it cannot be activated', async () => {
    const scene = await setScene(http, { configurationUrl: null });
    const text = textOf((await (await browserOf(scene.email)).get(pageOf(scene))).body);
    expect(text).toContain('without a configuration URL, so it cannot be activated for an organization');
  });

  test('the header names who is signed in on pages that only tell something, too', async () => {
    const scene = await setScene(http);
    const browser = await browserOf(scene.email);
    const missing = '/account/addons/01JZZZZZZZZZZZZZZZZZZZZZZX/withdraw';
    for (const path of [`${pageOf({ ...scene, clientId: nobody })}`, `${pageOf(scene)}/receipt`, missing]) {
      const { statusCode, body } = await browser.get(path);
      expect([path, statusCode]).toEqual([path, 404]);
      expect(body).toMatch(/<header[^]*Ada Ahoi[^]*Sign out[^]*<\/header>/);
    }
    expect((await testBrowser(http.app).get('/oauth/authorize?client_id=x')).body).not.toContain('Sign out');
  });

  test('AC-04: others learn nothing, also not what exists', async () => {
    const { scene } = await inUse(http);
    await createUser(http, 'stranger@quay.example');
    const stranger = await browserOf('stranger@quay.example');
    const bodies = new Set<string>();
    for (const of of [scene, { ...scene, clientId: nobody }, { ...scene, organizationId: nobody }])
      for (const page of ['', '/deactivate', '/receipt']) {
        const answer = await stranger.get(pageOf(of) + page);
        expect([page, answer.statusCode]).toEqual([page, 403]);
        bodies.add(answer.body);
      }
    expect(bodies.size).toBe(1);
    const admin = await browserOf(scene.email);
    for (const page of ['', '/deactivate', '/receipt'])
      expect((await admin.get(pageOf({ ...scene, clientId: nobody }) + page)).statusCode).toBe(404);
    const away = await testBrowser(http.app).get(`${pageOf(scene)}/deactivate`);
    expect([away.statusCode, away.headers.location]).toEqual([
      303,
      `/sign-in?return_to=${encodeURIComponent(`${pageOf(scene)}/deactivate`)}`,
    ]);
  });

  test('DE-06: the kept address of a receipt leads there through the sign-in, and a form to the list', async () => {
    const { scene, browser } = await inUse(http);
    const done = await browser.press(await browser.get(`${pageOf(scene)}/deactivate`), 'Deactivate');
    const receipt = done.headers.location ?? '';
    const away = testBrowser(http.app);
    const asked = await away.get(receipt);
    const fields = { email: scene.email, password };
    const shown = await away.follow(await away.press(await away.follow(asked), 'Sign in', fields));
    expect(textOf(shown.body)).toContain('Ended 3 grants');
    const stranger = testBrowser(http.app);
    const list = `/admin/organizations/${scene.organizationId}`;
    for (const [answer, back] of [
      [await stranger.post(`${pageOf(scene)}/deactivate`, {}), `${list}?problem=session-ended`],
      [await stranger.get(`${pageOf(scene)}/receipt?receipt=${'x'.repeat(3000)}`), list],
    ] as const)
      expect(answer.headers.location).toBe(`/sign-in?return_to=${encodeURIComponent(back)}`);
  });
});

describe('deactivating by hand', () => {
  test('DE-06: the question tells what stops, and the receipt afterwards proves it, also when it is loaded again', async () => {
    const { scene, browser } = await inUse(http);
    const question = await browser.get(`${pageOf(scene)}/deactivate`);
    const stops = textOf(question.body);
    expect(stops).toContain('3 grants, approved by 2 people : all their tokens are refused');
    expect(stops).toContain('1 code issued and not exchanged for tokens');
    expect(stops).toContain(
      'no longer sees this of the organization: names and contact details of its people, its access rights.',
    );
    expect(stops).toContain('without records of this organization');
    const done = await browser.press(question, 'Deactivate');
    expect(done.statusCode).toBe(303);
    const receipt = await browser.follow(done);
    const text = textOf(receipt.body);
    expect(text).toContain('Ended 3 grants, approved by 2 people; 1 code never exchanged');
    expect(text).toMatch(/In force On every server at \d+ \w+ \d{4} at/);
    expect(text).toMatch(/Deactivated \d+ .* by Ada Ahoi/);
    const { history } = await http.commands.showActivation(scene.organizationId, scene.clientId);
    const { commit, prepare } = history[0]?.deactivated?.position ?? {};
    expect(text).toContain(`AddonDeactivated at ${commit}/${prepare}`);
    expect(text).toContain(
      'Not complete yet: as far as the read models know, 4 grants have no GrantRevoked in the log',
    );
    expect((await browser.get(done.headers.location ?? '')).body).toBe(receipt.body);
    await completeRevocation(http, scene, 4);
    const later = textOf((await browser.get(done.headers.location ?? '')).body);
    expect(later).toContain(
      'Complete: the log has 4 GrantRevoked, one for each grant and each code that could still be used',
    );
    expect(textOf((await browser.get(pageOf(scene))).body)).toContain('Complete: 4 grants revoked.');
  });

  test('DE-06: nobody can make up a receipt: without our signer the page says what the log says', async () => {
    const { scene, browser } = await inUse(http);
    const other = await inUse(http);
    const receiptOf = async (of: Scene, by: TestBrowser) =>
      (await by.press(await by.get(`${pageOf(of)}/deactivate`), 'Deactivate')).headers.location ?? '';
    const own = await receiptOf(scene, browser);
    const signed = new URL(own, http.baseUrl).searchParams.get('receipt') ?? '';
    const [format, body = '', signature = ''] = signed.split('.');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as object;
    const earlier = Buffer.from(JSON.stringify({ ...claims, fencedAt: 1 })).toString('base64url');
    const foreign = new URL(await receiptOf(other.scene, other.browser), http.baseUrl).search;
    const signIn = (await testBrowser(http.app).get('/sign-in')).body;
    const interaction = /name="interaction" value="([^"]+)"/.exec(signIn)?.[1] ?? '';
    expect(interaction).not.toBe('');
    expect(textOf((await browser.get(own)).body)).toContain('In force');
    const forged = [
      `${format}.${earlier}.${signature}`,
      body,
      `${signed}&receipt=${signed}`,
      interaction,
      '',
    ];
    for (const search of [...forged.map((receipt) => `?receipt=${receipt}`), foreign, '']) {
      const page = await browser.get(`${pageOf(scene)}/receipt${search}`);
      const text = textOf(page.body);
      expect([search, page.statusCode, text.includes('In force')]).toEqual([search, 200, false]);
      expect(text).toContain('AddonDeactivated at');
      expect(text).not.toContain('Ended 3 grants');
    }
  });

  test('DE-05: a receipt stays true when the add-on is activated again; there is none before the first deactivation', async () => {
    const { scene, browser } = await inUse(http);
    expect((await browser.get(`${pageOf(scene)}/receipt`)).statusCode).toBe(404);
    const done = await browser.press(await browser.get(`${pageOf(scene)}/deactivate`), 'Deactivate');
    expect((await browser.get(`${pageOf(scene)}/deactivate`)).headers.location).toBe(pageOf(scene));
    await activate(http, scene);
    const text = textOf((await browser.get(done.headers.location ?? '')).body);
    expect(text).toContain('Activation Epoch 1,');
    expect(text).toContain('It was activated again later');
    expect(textOf((await browser.get(`${pageOf(scene)}/receipt`)).body)).toContain('Activation Epoch 1,');
    expect(textOf((await browser.get(pageOf(scene))).body)).toMatch(
      /Activated .* \(activation epoch 2\) .*0 grants/,
    );
  });

  test('DE-06: sent from two pages, the second receipt names the same event, and does not claim to have ended nothing', async () => {
    const { scene, browser } = await inUse(http);
    const address = `${pageOf(scene)}/deactivate`;
    const [question, asked] = [await browser.get(address), await browser.get(address)];
    const first = await browser.follow(await browser.press(question, 'Deactivate'));
    const second = await browser.follow(await browser.press(asked, 'Deactivate'));
    const eventOf = (html: string) => /AddonDeactivated at \S+/.exec(textOf(html))?.[0];
    expect(eventOf(second.body)).toBe(eventOf(first.body));
    expect(textOf(second.body)).not.toContain('Ended');
  });

  test('DE-02: a deactivation that died between its event and the fence is not said to be in force, until it is', async () => {
    const { scene, browser } = await inUse(http);
    const { organizationId, clientId: addonId } = scene;
    const stream = activationStream(organizationId, addonId);
    const { revision } = await http.store.read(stream);
    const data = { organizationId, addonId, epoch: 1, by: scene.userId, at: Date.now() };
    await whileAway(async () => {
      await http.store.append(stream, revision, [{ event: { type: 'AddonDeactivated', data } }]);
      expect(textOf((await browser.get(pageOf(scene))).body)).toContain(
        'currently unknown whether all servers refuse its tokens',
      );
      const page = await browser.get(`${pageOf(scene)}/receipt`);
      expect(textOf(page.body)).toContain('currently unknown whether all servers refuse the tokens');
      expect(textOf(page.body)).toContain('No receipt yet: Door Sync was deactivated');
      expect(textOf(page.body)).not.toMatch(/are refused on every server|Tokens are refused already/);
      const receipt = await browser.follow(await browser.press(page, 'Deactivate once more'));
      expect(textOf(receipt.body)).toMatch(/are refused on every server\..* In force On every server/);
    });
    await http.settle();
    for (const from of ['', '/receipt'])
      expect(textOf((await browser.get(pageOf(scene) + from)).body)).toMatch(
        /are refused on every server|Every token is refused/,
      );
  });

  test('DE-06: it is answered, with its receipt, while the read models are away', async () => {
    const { scene, browser } = await inUse(http);
    await whileAway(async () => {
      const question = await browser.get(`${pageOf(scene)}/deactivate`);
      expect(textOf(question.body)).toContain('All grants. Their number is currently unknown');
      const receipt = await browser.follow(await browser.press(question, 'Deactivate'));
      expect(receipt.statusCode).toBe(200);
      const text = textOf(receipt.body);
      expect(text).toContain('In force');
      expect(text).toContain('some GrantRevoked may still have to be written');
    });
  });
});
