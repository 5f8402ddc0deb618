import fc from 'fast-check';
import { hash } from 'node:crypto';
import { afterAll, describe, expect, test } from 'vitest';
import { authorize } from '../../../../src/http/oauth/authorize/plugin.ts';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import {
  authorizeUrl,
  obtainCode,
  postToken,
  redirectUri,
  returned,
  setScene,
  signedIn,
} from '../../../support/scenes/http-scene.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const http = await startPlugins([authorize, tokenEndpoints]);
const scene = await setScene(http);
const browser = await signedIn(http, scene);
await obtainCode(http, scene, { browser }); // approved once, so that later codes come without a page
afterAll(() => http.close());

/** RFC 3986 §2.3, by the platform's own encoder: what it leaves alone, but for the five that it leaves too much. */
const isUnreserved = (text: string): boolean => encodeURIComponent(text) === text && !/[!'()*]/.test(text);
const isPkceString = (text: string): boolean => isUnreserved(text) && text.length >= 43 && text.length <= 128;

const unreserved = fc.stringMatching(/^[A-Za-z0-9\-._~]{43,128}$/);
const ofAnyLength = fc.stringMatching(/^[A-Za-z0-9\-._~]{1,42}$|^[A-Za-z0-9\-._~]{129,180}$/);
const foreign = fc.oneof(
  fc.constantFrom('%41', ...Array.from('=+/ \n\r\t\0!*äА\u{1F511}\uFEFF')),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
);
const withForeign = fc
  .tuple(unreserved, foreign, fc.nat(128))
  .map(([text, piece, at]) => text.slice(0, at) + piece + text.slice(at));

const challengeOf = (verifier: string, encoding: 'base64url' | 'base64' | 'hex' = 'base64url'): string =>
  hash('sha256', verifier, encoding);

describe('PKCE strings', () => {
  test('AZ-17, AZ-18: a challenge passes exactly when it is 43 to 128 unreserved characters', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(unreserved, ofAnyLength, withForeign), async (challenge) => {
        const sent = authorizeUrl(scene, { code_challenge: challenge, prompt: 'none' });
        const { code, error } = returned(await browser.get(sent));
        expect([error, code !== undefined]).toEqual(
          isPkceString(challenge) ? [undefined, true] : ['invalid_request', false],
        );
      }),
      propertyRuns(60),
    );
  });

  test('TC-03, TC-04: a code is redeemed by the verifier of its challenge, and refused alike to all that is near', async () => {
    const near = fc.constantFrom<(verifier: string) => string>(
      (verifier) => `${verifier}=`,
      (verifier) => ` ${verifier}`,
      (verifier) => `${verifier}\n`,
      (verifier) => verifier.slice(1),
      (verifier) => verifier + verifier,
      (verifier) => (/[A-Z]/.test(verifier) ? verifier.toLowerCase() : `A${verifier.slice(1)}-`),
      (verifier) => challengeOf(verifier),
      (verifier) => challengeOf(verifier, 'hex'),
      (verifier) => `${challengeOf(verifier)}=`,
    );
    const wrong = fc.oneof(
      near,
      fc.oneof(unreserved, ofAnyLength, withForeign).map((text) => () => text),
    );
    await fc.assert(
      fc.asyncProperty(unreserved, wrong, async (verifier, make) => {
        const change = { code_challenge: challengeOf(verifier), prompt: 'none' };
        const { code = '' } = returned(await browser.get(authorizeUrl(scene, change)));
        const exchange = async (sent: string) => {
          const { clientId } = scene;
          const grant = { grant_type: 'authorization_code', client_id: clientId, code };
          const form = { ...grant, redirect_uri: redirectUri, code_verifier: sent };
          const answer = await postToken(http.app, form);
          return [answer.statusCode, answer.json<{ error?: string }>().error];
        };
        expect(await exchange(make(verifier))).toEqual([400, 'invalid_grant']);
        expect(await exchange(verifier)).toEqual([200, undefined]);
      }),
      propertyRuns(60),
    );
  });

  test('S4, TC-04: the digest in another encoding passes nobody, even with the right verifier', async () => {
    await fc.assert(
      fc.asyncProperty(unreserved, async (verifier) => {
        const change = { code_challenge: challengeOf(verifier, 'hex'), prompt: 'none' };
        const { code = '' } = returned(await browser.get(authorizeUrl(scene, change)));
        const form = {
          grant_type: 'authorization_code',
          client_id: scene.clientId,
          redirect_uri: redirectUri,
        };
        const answer = await postToken(http.app, { ...form, code, code_verifier: verifier });
        expect([answer.statusCode, answer.json<object>()]).toMatchObject([400, { error: 'invalid_grant' }]);
      }),
      propertyRuns(20),
    );
  });
});
