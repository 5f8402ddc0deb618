import type { Clients } from '../clients.ts';
import { tokenCases, type Change, type EdgeRequest, type Given } from '../edge-request.ts';
import { refreshBase } from '../prepare.ts';

/** Refresh tokens: whose they are, how often they work, and what they may ask for (RT-01 to RT-13). */
export const tokenRefreshRequests = ({ web, native, confidential }: Clients): readonly EdgeRequest[] => {
  const base = refreshBase(web);
  const tokens: Given = { made: 'tokens', by: 'web' };
  const scope = (value: string): Change => ({ scope: value });
  const old: Change = { refresh_token: '{old_refresh_token}' };
  return [
    ...tokenCases('refresh', base, tokens, {
      right: {},
      missing: { refresh_token: null },
      empty: { refresh_token: '' },
      'no token': { refresh_token: 'x' },
      'prefix alone': { refresh_token: 'mkt_rt_' },
      longer: { refresh_token: '{refresh_token}A' },
      'a space after it': { refresh_token: '{refresh_token} ' },
      'of 5,000 characters': { refresh_token: 'x'.repeat(5_000) },
      'an access token': { refresh_token: '{access_token}' },
      'a code': { refresh_token: '{code}' },
      'an id_token': { refresh_token: '{id_token}' },
      'twice, equal': { refresh_token: ['{refresh_token}', '{refresh_token}'] },
      'client missing': { client_id: null },
      'another client': { client_id: native.id },
      'another, confidential client, no secret': { client_id: confidential.id },
      'another, confidential client': { client_id: confidential.id, client_secret: confidential.secret },
      'a redirect_uri too': { redirect_uri: 'https://evil.example/' },
      'a code too': { code: 'x', code_verifier: 'y' },
      'grant_type of codes': { grant_type: 'authorization_code' },
    }),
    ...tokenCases('refresh, scope', base, tokens, {
      'the same': scope('openid profiles:read'),
      'in another order': scope('profiles:read openid'),
      narrower: scope('profiles:read'),
      'openid alone': scope('openid'),
      wider: scope('openid profiles:read reservations:read'),
      'not registered for': scope('access-rights:read'),
      unknown: scope('weather:read'),
      'one unknown': scope('openid weather:read'),
      empty: scope(''),
      'a space': scope(' '),
      'two spaces': scope('openid  profiles:read'),
      'repeated value': scope('openid openid'),
      'a quotation mark': scope('"'),
      'a tab': scope('openid\tprofiles:read'),
      'not ASCII': scope('profilé'),
      'in capitals': scope('OPENID'),
      'twice, equal': { scope: ['openid', 'openid'] },
    }),
    ...tokenCases(
      'refresh, unknown scope was asked for',
      base,
      {
        made: 'tokens',
        by: 'web',
        asking: { scope: 'openid profiles:read weather:read' },
      },
      { right: {}, 'asked for again': scope('openid weather:read') },
    ),
    ...tokenCases(
      'refresh, rotated',
      base,
      { made: 'rotated', by: 'web' },
      {
        newest: {},
        'previous, at once': old,
        'previous, narrower': { ...old, scope: 'openid' },
      },
    ),
    ...tokenCases(
      'refresh, rotated, later',
      base,
      { made: 'rotated', by: 'web' },
      { previous: old },
      { after: 31 },
    ),
    ...tokenCases(
      'refresh, rotated twice',
      base,
      { made: 'rotated-twice', by: 'web' },
      {
        newest: {},
        oldest: old,
      },
    ),
    ...tokenCases('refresh, late', base, tokens, { 'after 29 days': {} }, { after: 29 * 86_400 }),
    ...tokenCases('refresh, late', base, tokens, { 'after 31 days': {} }, { after: 31 * 86_400 }),
    ...tokenCases(
      'refresh, confidential',
      refreshBase(confidential),
      { made: 'tokens', by: 'confidential' },
      {
        right: { client_secret: confidential.secret },
        'no secret': {},
        'wrong secret': { client_secret: 'wrong' },
      },
    ),
    ...tokenCases('refresh, native', refreshBase(native), { made: 'tokens', by: 'native' }, { right: {} }),
    ...tokenCases('refresh, resource', base, tokens, {
      relative: { resource: '/profiles' },
      'not granted': { resource: 'https://other.example/' },
    }),
  ];
};
