import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LightMyRequestResponse } from 'fastify';
import { createLocalJWKSet, jwtVerify, type JSONWebKeySet } from 'jose';
import { afterAll, expect, test } from 'vitest';
import { packageRoot } from '../../../src/process/package-root.ts';
import { makeSignalsProjection, signalsGroup } from '../../../src/signals/projection.ts';
import { streamTypes, supportedTypes } from '../../../src/signals/set-types.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { activate, deactivate, setScene } from '../../support/scenes/http-scene.ts';
import { obtainTokensOf } from '../../support/scenes/presented-tokens.ts';
import { projectAll } from '../../support/log/test-projector.ts';
import { makeScript, parseMessage } from './recipe-script.ts';

/** docs/tutorials/receive-signals.md, played as it is written. */
const issuer = 'https://auth.example';
const read = (path: string) => readFileSync(join(packageRoot, 'docs', path), 'utf8');
const recipe = read('tutorials/receive-signals.md');
const blocks = [...recipe.matchAll(/^```(http|json)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
  language,
  text,
}));

const http = await startHttpApp({
  config: { baseUrl: issuer, issuer },
  around: (dependencies) => ({
    ...dependencies,
    signalStreams: { ...dependencies.signalStreams, endpointProblem: () => Promise.resolve(null) }, // doors.example
  }),
});
const scene = await setScene(http, { confidential: true });
await activate(http, scene);
const { refresh_token: refreshToken } = await obtainTokensOf(http, scene, {
  subject: `organization:${scene.organizationId}`,
});
const script = makeScript({
  CLIENT_ID: scene.clientId,
  CLIENT_SECRET: scene.clientSecret ?? '',
  ORGANIZATION_ID: scene.organizationId,
  REFRESH_TOKEN: refreshToken,
  PUSH_SECRET: 'fdT3kqG1',
});
afterAll(() => http.close());

const tellOfDeactivation = async () => {
  await deactivate(http, scene);
  const projection = makeSignalsProjection({ issuer, keepMs: 86_400_000, now: Date.now });
  await projectAll(http.database.url, http.store, { name: signalsGroup, projections: [projection] });
};

const play = async (request: string): Promise<LightMyRequestResponse> => {
  const { first, headers, body } = parseMessage(script.fill(request));
  const [method, url = ''] = first.split(' ');
  return http.app.inject({ method: method as 'GET', url, headers, ...(body !== '' && { payload: body }) });
};

const expectAnswer = (answer: LightMyRequestResponse, written: string): void => {
  const { first, body } = parseMessage(written);
  expect(`${answer.statusCode} ${answer.statusMessage}`).toBe(first);
  if (body !== '') script.compare(answer.json(), body);
};

/** The only SET of an answer to a poll. */
const expectSet = async (answer: LightMyRequestResponse, written: string): Promise<void> => {
  const [set = ''] = Object.values(answer.json<{ readonly sets: Readonly<Record<string, string>> }>().sets);
  const keys = createLocalJWKSet((await http.app.inject('/oauth/jwks')).json<JSONWebKeySet>());
  const expected = { issuer, audience: scene.clientId, typ: 'secevent+jwt' };
  script.compare((await jwtVerify(set, keys, expected)).payload, written);
};

test('SG-13: the recipe for receivers in general is played as it is written', async () => {
  const meanwhile = [tellOfDeactivation];
  const answers: LightMyRequestResponse[] = [];
  for (const { language, text } of blocks) {
    const last = answers.at(-1);
    if (last && language === 'json') {
      await expectSet(last, text);
      await meanwhile.shift()?.();
    } else if (last && /^\d/.test(text)) expectAnswer(last, text);
    else answers.push(await play(text));
  }
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([
    200, 200, 201, 204, 200, 200, 200, 200, 200, 200,
  ]);
  const now = await play('GET /ssf/streams?stream_id=STREAM_ID\nAuthorization: Bearer ACCESS_TOKEN');
  expect(now.json()).toMatchObject({
    delivery: { method: 'urn:ietf:rfc:8935', endpoint_url: 'https://doors.example/signals' },
  });
});

test('SG-13: docs/explanation/signals.md says of each event that there is what to do', () => {
  const [, table = ''] = read('explanation/signals.md').split(/^## (?=What each event|Streams)/m);
  const named = [...table.matchAll(/^\| `([a-z-]+)` /gm)].map(([, name = '']) => name);
  const all = [...supportedTypes(issuer), ...Object.values(streamTypes)];
  expect(named.toSorted()).toEqual(all.map((type) => type.slice(type.lastIndexOf('/') + 1)).toSorted());
});
