import { otherWebRedirect, type Clients } from '../clients.ts';
import { changed, encoded, specialAuthorizeCases, type EdgeRequest } from '../edge-request.ts';
import { authorizeBase } from '../prepare.ts';
import { form } from '../visitor.ts';

/** Methods, bodies and spellings of a valid request (AZ-01, AZ-42, G-02 to G-04). */
export const authorizeHttpRequests = ({ web }: Clients): readonly EdgeRequest[] => {
  const base = authorizeBase(web);
  const pairs = changed(base);
  const query = encoded(pairs);
  const post = { method: 'POST', query: [], headers: { 'content-type': form } } as const;
  return [
    ...specialAuthorizeCases('method', base, {
      HEAD: { method: 'HEAD' },
      PUT: { method: 'PUT' },
      DELETE: { method: 'DELETE' },
      PATCH: { method: 'PATCH' },
      OPTIONS: { method: 'OPTIONS' },
      preflight: {
        method: 'OPTIONS',
        headers: { origin: 'https://addon.example', 'access-control-request-method': 'GET' },
      },
      'POST, form': { ...post, body: pairs },
      'POST, form, nobody': { ...post, body: pairs, browser: 'nobody' },
      'POST, form, prompt=none, nobody': { ...post, body: [...pairs, ['prompt', 'none']], browser: 'nobody' },
      'POST, form, scope at fault': { ...post, body: changed(base, { scope: '"' }) },
      'POST, everything in the query': { ...post, query: pairs, body: '' },
      'POST, query and form': { ...post, query: pairs.slice(0, 3), body: pairs.slice(3) },
      'POST, the same in both': { ...post, query: [['state', 'st+&=%#']], body: pairs },
      'POST, client_id in both': { ...post, query: [['client_id', web.id]], body: pairs },
      'POST, another redirect_uri in the query': {
        ...post,
        query: [['redirect_uri', otherWebRedirect]],
        body: pairs,
      },
      'POST, JSON': {
        ...post,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(base),
      },
      'POST, multipart': {
        ...post,
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        body: '--x--',
      },
      'POST, text': { ...post, headers: { 'content-type': 'text/plain' }, body: query },
      'POST, no type': { ...post, headers: {}, body: query },
      'POST, no type, everything in the query': { ...post, query: pairs, headers: {} },
      'POST, charset': { ...post, headers: { 'content-type': `${form}; charset=UTF-8` }, body: pairs },
      'POST, form of 70,000 bytes': { ...post, body: `${query}&x=${'x'.repeat(70_000)}` },
      'GET with a body': { headers: { 'content-type': form }, body: 'state=other' },
    }),
    ...specialAuthorizeCases('header', base, {
      'from another origin': { headers: { origin: 'https://addon.example' } },
      'accepts JSON only': { headers: { accept: 'application/json' } },
      'client_id missing, accepts JSON only': {
        query: changed(base, { client_id: null }),
        headers: { accept: 'application/json' },
      },
      'client_id missing, from another origin': {
        query: changed(base, { client_id: null }),
        headers: { origin: 'https://addon.example' },
      },
      Authorization: { headers: { authorization: 'Basic eDp5' } },
      'a cookie of nonsense': {
        browser: 'nobody',
        headers: { cookie: 'grantbook_session=x; _session=x; =; ;' },
      },
    }),
    ...specialAuthorizeCases('spelling', base, {
      'nothing at all': { query: '' },
      'plus for a space': { query: query.replace('openid%20', 'openid+') },
      'lower-case escapes': { query: query.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()) },
      'escaped letters': { query: query.replace('code_challenge=', 'code%5Fchallenge=') },
      'escaped twice': { query: query.replaceAll('%', '%25') },
      'separated by semicolons': { query: query.replaceAll('&', ';') },
      'ampersands around': { query: `&&${query.replaceAll('&', '&&')}&` },
      'state without =': { query: query.replace(/state=[^&]*/, 'state') },
      'state of two =': { query: query.replace(/state=[^&]*/, 'state=a=b') },
      'state that cannot be decoded': { query: query.replace(/state=[^&]*/, 'state=%zz') },
      'state cut inside a character': { query: query.replace(/state=[^&]*/, 'state=%e0%a4') },
      'state in Latin-1': { query: query.replace(/state=[^&]*/, 'state=%e9') },
      'names in capitals': { query: query.replace('state=', 'STATE=') },
      'a name with a space': { query: query.replace('state=', '%20state=') },
      'a question mark': { query: `?${query}` },
      'of 20,000 bytes': { query: `${query}&x=${'x'.repeat(20_000)}` },
      '1,200 parameters': { query: `${'x=1&'.repeat(1_200)}${query}` },
    }),
  ];
};
