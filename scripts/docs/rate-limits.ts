import { signalChangesPerHour } from '../../src/commands/signals/limit-signal-changes.ts';
import { SETTINGS } from '../../src/config/settings.ts';
import { silentGrants } from '../../src/domain/access/silent-grants.ts';
import { longPollBodiesPerMinute, ownTokensPerMinute } from '../../src/http/limits/counters/rate-limits.ts';
import { fill } from './fill.ts';
import { code, table } from './table.ts';

type RateLimit = Extract<keyof typeof SETTINGS, `RATE_LIMIT_${string}`>;
const policies: readonly (readonly [string, Exclude<RateLimit, 'RATE_LIMIT_STORE'>, string, string])[] = [
  [
    'activation',
    'RATE_LIMIT_ACTIVATION',
    'one add-on in one organization; with a user’s own token, one add-on for that user',
    '`/access-rights`, `/profiles`, `/reservations`, `/grant`, userinfo',
  ],
  ['addon', 'RATE_LIMIT_ADDON', 'one add-on in all organizations', 'the same'],
  [
    'token',
    'RATE_LIMIT_TOKEN',
    'one add-on in one network: an IPv4 address or an IPv6 /64',
    '`/oauth/token`',
  ],
  ['authorize', 'RATE_LIMIT_AUTHORIZE', 'the same', '`/oauth/authorize`'],
  ['revoke', 'RATE_LIMIT_REVOKE', 'the same', '`/oauth/revoke`'],
  ['introspect', 'RATE_LIMIT_INTROSPECT', 'the same', '`/oauth/introspect`'],
  ['', 'RATE_LIMIT_SIGN_IN_STEPS', 'one network', 'steps of a sign-in with a provider or a passkey'],
  ['', 'RATE_LIMIT_SIGN_IN', 'one identity of a provider', 'sign-ins, from whatever network'],
];

export const rateLimitsPage = (): string =>
  fill('rate-limits.md', {
    policies: table(
      ['policy', 'requests a minute', 'setting', 'counted for', 'where'],
      policies.map(([policy, setting, counted, where]) => [
        policy === '' ? '' : code(policy),
        String(SETTINGS[setting].fallback),
        code(setting),
        counted,
        where,
      ]),
    ),
    limits: table(
      ['at most', 'in', 'what'],
      [
        [String(ownTokensPerMinute), 'a minute', 'tokens that one add-on takes for itself'],
        [String(longPollBodiesPerMinute), 'a minute', 'polls of one add-on with more than 16,384 characters'],
        [String(signalChangesPerHour), 'an hour', 'changes of one stream of signals'],
        [
          String(SETTINGS.ROTATIONS_PER_HOUR.fallback),
          'an hour',
          'rotations of one grant (`ROTATIONS_PER_HOUR`)',
        ],
        [
          String(silentGrants.most),
          `${silentGrants.window / 1000} seconds`,
          'grants without a consent page, for one session and add-on',
        ],
      ],
    ),
  });
