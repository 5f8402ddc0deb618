import { afterEach, expect, test } from 'vitest';
import { beginCount } from '../../src/http/admin/count-live-grants.ts';
import { startHttpApp, type HttpApp } from '../support/http-app.ts';
import { activate, obtainTokens, password, setScene } from '../support/http-scene.ts';
import { testBrowser } from '../support/pages.ts';

let http: HttpApp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
});

type Counted = { readonly epoch: number; readonly grants: number } | null;
const counting = (answer: () => Promise<Counted>) => beginCount({ countLiveGrants: answer }, 'O1', 'A1');

test('DE-06: the receipt names how many grants were live', async () => {
  const count = counting(() => Promise.resolve({ epoch: 3, grants: 7 }));
  expect(await count(3, 1000)).toBe(7);
});

test.each([
  { why: 'the read models speak of another epoch', answer: () => Promise.resolve({ epoch: 2, grants: 7 }) },
  { why: 'they have not heard of the activation', answer: () => Promise.resolve(null) },
  { why: 'they are away', answer: () => Promise.reject(new Error('Query read timeout')) },
  { why: 'they take too long', answer: () => new Promise<Counted>(() => undefined) },
])('DE-06: nobody waits for a number that is not known: $why', async ({ answer }) => {
  expect(await counting(answer)(3, 20)).toBe(null);
});

test('DE-06: what was counted is what was live before, and its count is asked for before the deactivation', async () => {
  const asked: string[] = [];
  http = await startHttpApp({
    around: (needs) => {
      const { commands, readModels } = needs;
      return {
        ...needs,
        commands: {
          ...commands,
          deactivateAddon: async (request) => {
            asked.push('deactivate');
            // In the test the number is known by then; in earnest the deactivation does not wait for it.
            expect((await readModels.countLiveGrants(request.organizationId, request.addonId))?.grants).toBe(
              1,
            );
            return commands.deactivateAddon(request);
          },
        },
        readModels: {
          ...readModels,
          countLiveGrants: (...ids) => {
            asked.push('count');
            return readModels.countLiveGrants(...ids);
          },
        },
      };
    },
  });
  const { scene, receipt } = await deactivated(http);
  expect(asked).toEqual(['count', 'deactivate']);
  expect(receipt.json()).toMatchObject({ client_id: scene.clientId, epoch: 1, live_grants: 1 });
});

test('DE-06: the deactivation is answered with success when the read models are away', async () => {
  const away = () => Promise.reject(new Error('Query read timeout'));
  http = await startHttpApp({
    around: (needs) => ({
      ...needs,
      readModels: { ...needs.readModels, countLiveGrants: away, waitFor: away },
    }),
  });
  const { receipt } = await deactivated(http);
  expect(receipt.statusCode).toBe(200);
  expect(receipt.json()).toMatchObject({ status: 'deactivated', epoch: 1, live_grants: null });
});

const deactivated = async (app: HttpApp) => {
  const scene = await setScene(app);
  await activate(app, scene);
  const browser = testBrowser(app.app);
  await browser.signIn(scene.email, password);
  const { organizationId, clientId } = scene;
  await obtainTokens(app, scene, { browser, subject: `organization:${organizationId}` });
  await app.settle();
  const receipt = await app.app.inject({
    method: 'DELETE',
    url: `/organizations/${organizationId}/addons/${clientId}/activation`,
    cookies: Object.fromEntries(browser.cookies),
  });
  return { scene, receipt };
};
