import { afterAll, expect, test } from 'vitest';
import { tokenEndpoints } from '../../../../src/http/oauth/token/plugin.ts';
import { startPlugins } from '../../../support/scenes/plugin-app.ts';
import { setScene } from '../../../support/scenes/http-scene.ts';

const http = await startPlugins([tokenEndpoints]);
const scene = await setScene(http);
const server = await setScene(http, { confidential: true, grantTypes: [] });
afterAll(() => http.close());

const post = (fields: Readonly<Record<string, string | readonly string[]>>, query = '') => {
  const sent = Object.entries(fields).flatMap(([name, values]) =>
    [values].flat().map((value) => [name, value] as [string, string]),
  );
  return http.app.inject({
    method: 'POST',
    url: `/oauth/token${query}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams(sent).toString(),
  });
};

type Step = readonly [rule: string, repaired: Record<string, string | readonly string[]>, answer: string];

/** Everything is wrong at first; each step repairs what the one before was refused for. */
const answersTo = async (steps: readonly Step[], query = '') => {
  let fields: Record<string, string | readonly string[]> = {};
  const answers = [];
  for (const [rule, repaired] of steps) {
    fields = { ...fields, ...repaired };
    const answer = await post(fields, rule === 'S1' ? query : '');
    answers.push(`${rule} ${answer.statusCode} ${answer.json().error}: ${answer.json().error_description}`);
  }
  return answers;
};

const foretold = (steps: readonly Step[]) => steps.map(([rule, , answer]) => `${rule} ${answer}`);

const nobody = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
const invalidClient = '401 invalid_client: unknown client, or missing or invalid client authentication';
const invalidGrant =
  '400 invalid_grant: the code or refresh token is unknown, expired, used or revoked, or its proof is wrong';

test('TK-04, TK-05, TK-09, TC-01, TC-02: a later check of an exchange never runs before an earlier one', async () => {
  const steps: readonly Step[] = [
    [
      'S1',
      { scope: ['x', 'y'], code_verifier: '', client_secret: 'x'.repeat(5000) },
      '400 invalid_request: client_secret must not be in the query string',
    ],
    ['G-04', {}, '400 invalid_request: scope was sent more than once'],
    ['TK-04', { scope: 'x' }, '400 invalid_request: grant_type is missing'],
    [
      'TK-04',
      { grant_type: '__proto__' },
      '400 unsupported_grant_type: grant_type must be authorization_code, refresh_token or client_credentials',
    ],
    ['TK-05', { grant_type: 'authorization_code' }, '400 invalid_request: client_id is missing'],
    ['TK-05', { client_id: nobody }, invalidClient],
    ['TK-08', { client_id: server.clientId }, invalidClient],
    [
      'TK-04',
      { client_id: server.clientId, client_secret: server.clientSecret ?? '' },
      '400 unauthorized_client: this add-on is not registered for this grant_type',
    ],
    ['TC-01', { client_id: scene.clientId, client_secret: '' }, '400 invalid_request: code is missing'],
    ['TC-01', { code: 'x' }, '400 invalid_request: redirect_uri is missing'],
    ['TC-02', { redirect_uri: 'x' }, '400 invalid_grant: code_verifier is missing'],
    ['TC-03', { code_verifier: 'x' }, invalidGrant],
  ];
  expect(await answersTo(steps, '?client_secret=')).toEqual(foretold(steps));
});

test('TK-04, RT-01, RT-10: a later check of a refresh never runs before an earlier one', async () => {
  const steps: readonly Step[] = [
    ['TK-05', { grant_type: 'refresh_token', scope: 'x', client_id: nobody }, invalidClient],
    ['RT-01', { client_id: scene.clientId }, '400 invalid_request: refresh_token is missing'],
    [
      'RT-10',
      { refresh_token: 'x', scope: ' ' },
      '400 invalid_scope: scope must be a space-delimited list of scope tokens',
    ],
    ['RT-10', { scope: 'x' }, '400 invalid_scope: scope exceeds what was granted'],
    ['RT-01', { scope: 'profiles:read' }, invalidGrant],
  ];
  expect(await answersTo(steps)).toEqual(foretold(steps));
});

test.each([
  ['TC-03', 'code_verifier', 'invalid_grant'],
  ['TK-10', 'code', 'invalid_grant'],
  ['TC-06', 'redirect_uri', 'invalid_grant'],
  ['TK-05', 'client_id', 'invalid_client'],
  ['TK-08', 'client_secret', 'invalid_client'],
])('%s: a %s of any length is merely a wrong one', async (_rule, name, error) => {
  const fields = {
    grant_type: 'authorization_code',
    client_id: scene.clientId,
    code: 'x',
    redirect_uri: 'x',
    code_verifier: 'x',
  };
  expect((await post({ ...fields, [name]: 'x'.repeat(20_000) })).json()).toMatchObject({ error });
});
