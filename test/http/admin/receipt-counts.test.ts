import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { patience } from '../../support/patience.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import { activate, obtainCode, obtainTokens, setScene, signedIn } from '../../support/scenes/http-scene.ts';

let http: HttpApp | undefined;
afterEach(async () => {
  await http?.close();
  http = undefined;
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
          deactivateAddon: async (request, context) => {
            asked.push('deactivate');
            // In the test the number is known by then; in earnest the deactivation does not wait for it.
            const counted = await readModels.beginCount(request.organizationId, request.addonId)(1, patience);
            expect(counted).toEqual({ liveGrants: 1, unredeemedCodes: 1, approvers: 1 });
            return commands.deactivateAddon(request, context);
          },
        },
        readModels: {
          ...readModels,
          beginCount: (...ids) => {
            asked.push('count');
            return readModels.beginCount(...ids);
          },
        },
      };
    },
  });
  const { scene, receipt } = await deactivated(http);
  expect(asked).toEqual(['count', 'deactivate']);
  expect(receipt.json()).toMatchObject({
    client_id: scene.clientId,
    epoch: 1,
    live_grants: 1,
    unredeemed_codes: 1,
  });
});

test('DE-06: what the deactivation itself has taken is not waited once more for the read models', async () => {
  const waits: number[] = [];
  http = await startHttpApp({
    around: (needs) => ({
      ...needs,
      commands: {
        ...needs.commands,
        deactivateAddon: (...given) => delay(40).then(() => needs.commands.deactivateAddon(...given)),
      },
      readModels: {
        ...needs.readModels,
        waitFor: (position, timeoutMs) => {
          waits.push(timeoutMs);
          return needs.readModels.waitFor(position, timeoutMs);
        },
      },
    }),
  });
  await deactivated(http);
  expect(waits.at(-1)).toBe(10);
});

const deactivated = async (app: HttpApp) => {
  const scene = await setScene(app);
  await activate(app, scene);
  const browser = await signedIn(app, scene);
  const { organizationId, clientId } = scene;
  await obtainTokens(app, scene, { browser, subject: `organization:${organizationId}` });
  await obtainCode(app, scene, { browser, subject: `organization:${organizationId}` });
  await app.settle();
  const receipt = await app.app.inject({
    method: 'DELETE',
    url: `/organizations/${organizationId}/addons/${clientId}/activation`,
    cookies: Object.fromEntries(browser.cookies),
  });
  return { scene, receipt };
};
