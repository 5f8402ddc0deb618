import { expect, test } from 'vitest';
import { defaultLifetimes, lifetimesOf } from '../../../src/commands/kernel/dependencies.ts';
import { readConfig } from '../../../src/config/config.ts';

test('OP-10: settings are in seconds, lifetimes in milliseconds; what has no setting is as it is by default', () => {
  const { lifetimes } = readConfig({
    CODE_TTL: '11',
    ACCESS_TOKEN_TTL: '600',
    REFRESH_IDLE_TTL: '7000',
    REFRESH_ABSOLUTE_TTL: '80000',
    REFRESH_GRACE: '3',
    REFRESH_GRACE_OUTAGE: '0',
  });
  expect(lifetimesOf(lifetimes)).toEqual({
    ...defaultLifetimes,
    code: 11_000,
    accessToken: 600_000,
    refreshIdle: 7_000_000,
    refreshAbsolute: 80_000_000,
    refreshGrace: 3_000,
    refreshGraceOutage: 0,
  });
});
