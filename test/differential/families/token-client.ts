import { challenge, verifier } from '../../support/scenes/grants.ts';
import type { Clients } from '../clients.ts';
import { changed, specialTokenCases, tokenCases, type EdgeRequest, type Given } from '../edge-request.ts';
import { exchangeBase, refreshBase } from '../prepare.ts';
import { form } from '../visitor.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Who is calling, and with which grant (TK-04 to TK-09). */
export const tokenClientRequests = (clients: Clients): readonly EdgeRequest[] => {
  const { web, confidential, native, codeOnly, resourceServer, suspended } = clients;
  const code: Given = { made: 'code', by: 'web' };
  const secretCode: Given = { made: 'code', by: 'confidential' };
  const base = exchangeBase(web);
  const secretBase = exchangeBase(confidential);
  const basic = (credentials: string, scheme = 'Basic') => ({
    headers: { 'content-type': form, authorization: `${scheme} ${credentials}` },
  });
  const good = base64(`${confidential.id}:${confidential.secret}`);
  const withoutId = { body: changed(secretBase, { client_id: null }) };
  return [
    ...tokenCases('grant-type', base, code, {
      missing: { grant_type: null },
      empty: { grant_type: '' },
      unknown: { grant_type: 'magic' },
      password: { grant_type: 'password', username: 'ada', password: 'x' },
      client_credentials: { grant_type: 'client_credentials' },
      implicit: { grant_type: 'implicit' },
      device: { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
      'jwt-bearer': { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'x.y.z' },
      'in capitals': { grant_type: 'AUTHORIZATION_CODE' },
      'a space after it': { grant_type: 'authorization_code ' },
      'a name of objects': { grant_type: '__proto__' },
      'unknown, client unknown': { grant_type: 'magic', client_id: 'nobody' },
      'missing, client unknown': { grant_type: null, client_id: 'nobody' },
      'missing, client missing': { grant_type: null, client_id: null },
    }),
    ...tokenCases('grant-type, not registered', refreshBase(codeOnly), null, {
      refresh: { refresh_token: 'x' },
    }),
    ...tokenCases('grant-type, not registered', exchangeBase(resourceServer), null, {
      exchange: { code: 'x', client_secret: resourceServer.secret },
    }),
    ...tokenCases('client', base, code, {
      missing: { client_id: null },
      empty: { client_id: '' },
      unknown: { client_id: 'nobody' },
      'well-formed but unknown': { client_id: '01JZZZZZZZZZZZZZZZZZZZZZZZ' },
      suspended: { client_id: suspended.id },
      another: { client_id: native.id },
      'another, confidential, no secret': { client_id: confidential.id },
      'in lower case': { client_id: web.id.toLowerCase() },
      'of 5,000 characters': { client_id: 'x'.repeat(5_000) },
      'with NUL after it': { client_id: `${web.id}\0` },
      'public, with a secret': { client_secret: 'x' },
      'public, with an empty secret': { client_secret: '' },
      'an assertion in addition': { client_assertion: 'x.y.z', client_assertion_type: 'x' },
    }),
    ...tokenCases('client, confidential', secretBase, secretCode, {
      'secret in the form': { client_secret: confidential.secret },
      'no secret': {},
      'empty secret': { client_secret: '' },
      'wrong secret': { client_secret: 'wrong' },
      'secret with a space after it': { client_secret: `${confidential.secret} ` },
      'secret in capitals': { client_secret: confidential.secret.toUpperCase() },
      'secret of 5,000 characters': { client_secret: 'x'.repeat(5_000) },
      'wrong secret, code unknown': { client_secret: 'wrong', code: 'x' },
      'no secret, code missing': { code: null },
      'secret twice, equal': { client_secret: [confidential.secret, confidential.secret] },
    }),
    ...specialTokenCases('basic', secretBase, secretCode, {
      right: { ...withoutId, ...basic(good) },
      'right, client_id too': basic(good),
      'right, another client_id': { body: changed(secretBase, { client_id: web.id }), ...basic(good) },
      'right, empty client_id': { body: changed(secretBase, { client_id: '' }), ...basic(good) },
      'right, secret in the form too': {
        body: changed(secretBase, { client_secret: confidential.secret }),
        ...basic(good),
      },
      'right, empty secret in the form': { body: changed(secretBase, { client_secret: '' }), ...basic(good) },
      'scheme in lower case': { ...withoutId, ...basic(good, 'basic') },
      'scheme in capitals': { ...withoutId, ...basic(good, 'BASIC') },
      'two spaces': { ...withoutId, ...basic(` ${good}`) },
      'without padding': {
        ...withoutId,
        ...basic(base64(`${confidential.id}:${confidential.secret}:`).replace(/=+$/, '')),
      },
      base64url: { ...withoutId, ...basic(Buffer.from(`${confidential.id}:~~~???`).toString('base64url')) },
      'something after it': { ...withoutId, ...basic(`${good}, x`) },
      'percent-encoded': {
        ...withoutId,
        ...basic(base64(`${confidential.id.replace('0', '%30')}:${confidential.secret}`)),
      },
      'a bad escape': { ...withoutId, ...basic(base64(`${confidential.id}:%zz`)) },
      'wrong secret': { ...withoutId, ...basic(base64(`${confidential.id}:wrong`)) },
      'secret with a colon': { ...withoutId, ...basic(base64(`${confidential.id}:a:b`)) },
      'empty secret': { ...withoutId, ...basic(base64(`${confidential.id}:`)) },
      'no colon': { ...withoutId, ...basic(base64(confidential.id)) },
      'empty user': { ...withoutId, ...basic(base64(`:${confidential.secret}`)) },
      'only a colon': { ...withoutId, ...basic(base64(':')) },
      'unknown client': { ...withoutId, ...basic(base64('nobody:x')) },
      'not base64': { ...withoutId, ...basic('!!!') },
      'not UTF-8': { ...withoutId, ...basic(Buffer.from([0xff, 0x3a, 0xff]).toString('base64')) },
      'scheme alone': { ...withoutId, headers: { 'content-type': form, authorization: 'Basic' } },
      'no header value': { headers: { 'content-type': form, authorization: '' } },
      Bearer: { ...withoutId, ...basic('x', 'Bearer') },
      'Bearer, client_id and secret in the form': {
        body: changed(secretBase, { client_secret: confidential.secret }),
        ...basic('x', 'Bearer'),
      },
      Digest: { ...withoutId, ...basic('username="x"', 'Digest') },
      'wrong secret, grant_type missing': {
        body: changed(secretBase, { grant_type: null }),
        ...basic(base64(`${confidential.id}:wrong`)),
      },
      'wrong secret, grant_type unknown': {
        body: changed(secretBase, { grant_type: 'magic' }),
        ...basic(base64(`${confidential.id}:wrong`)),
      },
    }),
    ...specialTokenCases('basic, public client', base, code, {
      'empty secret': { body: changed(base, { client_id: null }), ...basic(base64(`${web.id}:`)) },
      'empty secret, client_id too': basic(base64(`${web.id}:`)),
      'a secret': basic(base64(`${web.id}:x`)),
      'no colon': basic(base64(web.id)),
    }),
    ...tokenCases(
      'exchange without refresh',
      exchangeBase(codeOnly),
      { made: 'code', by: 'codeOnly' },
      {
        right: {},
      },
    ),
    ...tokenCases(
      'asked otherwise',
      base,
      { made: 'code', by: 'web', asking: { scope: 'profiles:read' } },
      {
        'without openid': { code_verifier: verifier },
      },
    ),
    ...tokenCases(
      'asked otherwise',
      base,
      {
        made: 'code',
        by: 'web',
        asking: { code_challenge: Buffer.from(challenge, 'base64url').toString('hex') },
      },
      { 'hexadecimal challenge': {} },
    ),
    ...tokenCases(
      'asked otherwise',
      base,
      { made: 'code', by: 'web', asking: { code_challenge: verifier } },
      {
        'the verifier as challenge': {},
      },
    ),
  ];
};
