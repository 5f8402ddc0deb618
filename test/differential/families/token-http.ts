import type { Clients } from '../clients.ts';
import { changed, encoded, specialTokenCases, type EdgeRequest, type Given } from '../edge-request.ts';
import { exchangeBase, refreshBase } from '../prepare.ts';
import { form } from '../visitor.ts';

/** Methods, places, bodies and spellings of a token request (TK-01 to TK-03, TK-11, S1, S3). */
export const tokenHttpRequests = ({ web, confidential }: Clients): readonly EdgeRequest[] => {
  const base = exchangeBase(web);
  const code: Given = { made: 'code', by: 'web' };
  const pairs = changed(base);
  const text = encoded(pairs).replace('%7Bcode%7D', '{code}');
  const typed = (type: string) => ({ headers: { 'content-type': type } });
  const headers = (more: Readonly<Record<string, string>>) => ({
    headers: { 'content-type': form, ...more },
  });
  const empty = { body: '' };
  const none = { headers: {}, body: undefined };
  return [
    ...specialTokenCases('method', base, null, {
      GET: { ...none, method: 'GET' },
      HEAD: { ...none, method: 'HEAD' },
      PUT: { method: 'PUT', body: 'x=1' },
      DELETE: { ...none, method: 'DELETE' },
      PATCH: { method: 'PATCH', body: 'x=1' },
      OPTIONS: { ...none, method: 'OPTIONS' },
      'preflight of a registered origin': {
        ...none,
        method: 'OPTIONS',
        headers: {
          origin: 'https://addon.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'content-type',
        },
      },
      'preflight of another origin': {
        ...none,
        method: 'OPTIONS',
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
      },
    }),
    ...specialTokenCases('origin', base, code, {
      registered: headers({ origin: 'https://addon.example' }),
      another: headers({ origin: 'https://evil.example' }),
      null: headers({ origin: 'null' }),
      'registered, code unknown': {
        ...headers({ origin: 'https://addon.example' }),
        body: changed(base, { code: 'x' }),
      },
    }),
    ...specialTokenCases('browser', base, code, {
      'accepts HTML': headers({ accept: 'text/html,application/xhtml+xml' }),
      navigates: headers({ 'sec-fetch-mode': 'navigate', accept: 'text/html' }),
      'accepts HTML, code unknown': {
        ...headers({ accept: 'text/html' }),
        body: changed(base, { code: 'x' }),
      },
      'accepts HTML, client unknown': {
        ...headers({ accept: 'text/html' }),
        body: changed(base, { client_id: 'nobody' }),
      },
    }),
    ...specialTokenCases('place', base, code, {
      'everything in the query': { query: pairs, ...empty },
      'everything in the query, no type': { query: pairs, ...none },
      'code in the query': { query: [['code', '{code}']], body: changed(base, { code: null }) },
      'client_id in the query': { query: [['client_id', web.id]], body: changed(base, { client_id: null }) },
      'code in both': { query: [['code', '{code}']] },
      'code in both, different': { query: [['code', 'x']] },
      'grant_type in both': { query: [['grant_type', 'authorization_code']] },
      'unknown in the query': { query: [['foo', 'bar']] },
      'client_secret in the query': {
        query: [['client_secret', confidential.secret]],
        body: changed(exchangeBase(confidential)),
        given: { made: 'code', by: 'confidential' },
      },
      'client_secret of a public client in the query': { query: [['client_secret', 'x']] },
      'nothing at all': { ...none, given: null },
      'an empty form': { ...empty, given: null },
      'refresh token in the query': {
        query: changed(refreshBase(web)),
        ...empty,
        given: { made: 'tokens', by: 'web' },
      },
    }),
    ...specialTokenCases('type', base, code, {
      JSON: { ...typed('application/json'), body: JSON.stringify(base) },
      'JSON, cut': { ...typed('application/json'), body: '{"grant_type":' },
      multipart: {
        ...typed('multipart/form-data; boundary=x'),
        body: '--x\r\nContent-Disposition: form-data; name="grant_type"\r\n\r\nauthorization_code\r\n--x--\r\n',
      },
      text: { ...typed('text/plain'), body: text },
      none: { headers: {}, body: text },
      nonsense: { ...typed('nonsense'), body: text },
      'form in capitals': { ...typed('Application/X-WWW-Form-URLEncoded'), body: text },
      'form, charset=UTF-8': { ...typed(`${form};charset=UTF-8`), body: text },
      'form, charset=ISO-8859-1': { ...typed(`${form}; charset=ISO-8859-1`), body: text },
      'form, charset unknown': { ...typed(`${form}; charset=klingon`), body: text },
      'form-like': { ...typed(`${form}x`), body: text },
    }),
    ...specialTokenCases('spelling', base, code, {
      'plus for a space': { body: text.replace('grant_type=', 'unknown=a+b&grant_type=') },
      'escaped names': { body: text.replace('grant_type', 'grant%5Ftype') },
      'names in capitals': { body: text.replace('grant_type', 'GRANT_TYPE') },
      brackets: { body: text.replace('grant_type', 'grant_type[]') },
      'separated by semicolons': { body: text.replaceAll('&', ';') },
      'separated by lines': { body: text.replaceAll('&', '\r\n') },
      'ampersands around': { body: `&&${text.replaceAll('&', '&&')}&` },
      'a line break after it': { body: `${text}\r\n` },
      'a byte order mark': { body: `\uFEFF${text}` },
      'a bad escape': { body: text.replace('code_verifier=', 'code_verifier=%zz') },
      'bytes that are no UTF-8': { body: `${text}&x=%ff%fe` },
      markup: { body: changed(base, { code: '<script>' }) },
      'of 60,000 bytes': { body: `${text}&x=${'x'.repeat(60_000)}` },
      'of 70,000 bytes': { body: `${text}&x=${'x'.repeat(70_000)}` },
      '1,200 parameters': { body: `${'x=1&'.repeat(1_200)}${text}` },
      'a header of 20,000 bytes': headers({ 'x-long': 'x'.repeat(20_000) }),
    }),
  ];
};
