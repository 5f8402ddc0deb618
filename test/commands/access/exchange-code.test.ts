import { describe, expect, test } from 'vitest';
import { mintCredential } from '../../../src/commands/credentials/credentials.ts';
import { grantSubject } from '../../../src/domain/fence/fence.ts';
import { AppendOutcomeUnknown, EventStoreUnavailable } from '../../../src/eventstore/event-store.ts';
import { seconds, terms, verifier } from '../../support/scenes/grants.ts';
import { grantIdIn, issuance, keys } from '../../support/memory/issuance.ts';
import { refusalOf, valueOf } from '../../support/outcomes.ts';
import { atAppend } from '../../support/memory/at-append.ts';

describe('a code', () => {
  test('is exchanged for a pair that opens what was approved', async () => {
    const { issue, exchange, commands, addonId, userId, organizationId } = await issuance();
    const pair = valueOf(await exchange(await issue()));
    expect(pair).toMatchObject({
      expiresIn: 3600,
      scopes: terms.scopes,
      redirectUri: terms.redirectUri,
      refreshToken: expect.stringMatching(/^mkt_rt_/) as string,
    });
    expect(commands.verifyAccessToken(pair.accessToken)).toMatchObject({
      addonId,
      userId,
      subject: { kind: 'organization', organizationId, epoch: 1 },
      rotation: 0,
      scopes: terms.scopes,
    });
  });

  test('AZ-54: is answered only after its event is in the log', async () => {
    const { issue, grantEvents } = await issuance();
    await issue();
    expect(grantEvents()).toEqual(['AuthorizationCodeIssued']);
    const down = await issuance({
      beforeAppend: (stream) => {
        if (stream.startsWith('grant-')) throw new EventStoreUnavailable('down');
      },
    });
    await expect(down.issue()).rejects.toThrow(EventStoreUnavailable);
  });

  test('AZ-23: is not issued where the add-on is not active', async () => {
    const { issue, deactivate, grantEvents } = await issuance();
    await deactivate();
    await expect(issue()).rejects.toThrow('addon-not-active');
    expect(grantEvents()).toEqual([]);
  });

  test('that is forged is refused before any I/O', async () => {
    const { issue, exchange, reads, fence } = await issuance();
    const code = await issue();
    const before = [reads.length, fence.reads()];
    expect(refusalOf(await exchange(`${code.slice(0, -8)}AAAAAAAA`))).toBe('code-unknown');
    expect(refusalOf(await exchange('mkt_code_'))).toBe('code-unknown');
    expect([reads.length, fence.reads()]).toEqual(before);
  });

  test('whose secret is not from the salt in the log is unknown, though its tag is right', async () => {
    const { issue, exchange, grantIdOf } = await issuance();
    const address = { grantId: grantIdOf(await issue()), rotation: 0, expiresAt: terms.expiresAt };
    const another = mintCredential(keys, 'code', { keyId: 'k1', salt: 'another' }, address);
    expect(refusalOf(await exchange(another))).toBe('code-unknown');
  });

  test('is exchanged with one append between two looks at the fence, and no read but of the newest event of the add-on', async () => {
    const { issue, exchange, reads, fence, addonId } = await issuance();
    const code = await issue();
    const before = fence.reads();
    reads.length = 0;
    valueOf(await exchange(code));
    expect([reads, fence.reads()]).toEqual([[`addon-${addonId}`], before + 2]);
  });

  test('TC-13: survives two failed proofs and is burnt by the third, which holds on every instance', async () => {
    const { issue, exchange, grantEvents, fence, store } = await issuance();
    const wrong = { codeVerifier: 'a'.repeat(43) };
    const lucky = await issue();
    for (const _ of [1, 2]) await exchange(lucky, wrong);
    valueOf(await exchange(lucky));
    const code = await issue();
    for (const _ of [1, 2, 3]) expect(refusalOf(await exchange(code, wrong))).toBe('verifier-mismatch');
    expect(refusalOf(await exchange(code))).toBe('grant-revoked');
    expect(grantEvents().slice(-2)).toEqual(['CodeExchangeRejected', 'GrantRevoked']);
    expect(fence.rows().get(grantSubject(grantIdIn(store)))).toMatchObject({ open: false });
  });
});

describe('fifty exchanges at once', () => {
  const fifty = Array.from({ length: 50 });

  test.each(['one instance', 'as many'])(
    'TC-09, TC-12: one succeeds by one event, and the family lives (to %s)',
    async (at) => {
      const { issue, exchange, refresh, instance, commands, grantEvents } = await issuance();
      const code = await issue();
      const by = () => (at === 'one instance' ? commands : instance());
      const outcomes = await Promise.all(fifty.map(() => exchange(code, {}, by())));
      const pairs = outcomes.filter((outcome) => outcome.ok);
      expect(pairs).toHaveLength(1);
      expect(new Set(outcomes.map(refusalOf))).toEqual(new Set([undefined, 'code-already-redeemed']));
      expect(grantEvents()).toEqual(['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed']);
      valueOf(await refresh(pairs[0]?.value.refreshToken ?? ''));
    },
  );
});

describe('a replayed code', () => {
  test('TC-10: ends the family at once, on the fence too', async () => {
    const { issue, exchange, refresh, pass, grantEvents, fence, store } = await issuance();
    const code = await issue();
    const { refreshToken } = valueOf(await exchange(code));
    pass(seconds(2));
    expect(refusalOf(await exchange(code))).toBe('code-already-redeemed');
    expect(grantEvents().slice(-2)).toEqual(['AuthorizationCodeReplayed', 'GrantRevoked']);
    expect(fence.rows().get(grantSubject(grantIdIn(store)))).toMatchObject({ open: false });
    expect(refusalOf(await refresh(refreshToken))).toBe('grant-revoked');
  });

  test('is fenced by the next request when the first crashed between its append and the fence', async () => {
    let crash = true;
    const { issue, exchange, pass, fence, store } = await issuance({
      fence: {
        beforeWrite: (rows) => {
          if (crash && rows.some(({ subject }) => subject.startsWith('grant:'))) throw new Error('crash');
        },
      },
    });
    const code = await issue();
    valueOf(await exchange(code));
    pass(seconds(2));
    await expect(exchange(code)).rejects.toThrow('crash');
    crash = false;
    expect(refusalOf(await exchange(code))).toBe('grant-revoked');
    expect(fence.rows().get(grantSubject(grantIdIn(store)))).toMatchObject({ open: false });
  });
});

describe('an append whose outcome is unknown (TC-14)', () => {
  test("is not answered with another request's tokens", async () => {
    const { hooks, arm } = atAppend('beforeAppend');
    const { issue, exchange, instance, grantEvents } = await issuance(hooks);
    const code = await issue();
    arm(async () => {
      valueOf(await exchange(code, {}, instance()));
      throw new AppendOutcomeUnknown('no word');
    });
    expect(refusalOf(await exchange(code))).toBe('code-already-redeemed');
    expect(grantEvents()).toEqual(['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed']);
  });

  test('G-07: is no refusal when it stays unknown, and no success either', async () => {
    const { issue, exchange } = await issuance({
      beforeAppend: (_stream, events) => {
        if (events[0]?.event.type === 'AuthorizationCodeRedeemed') throw new AppendOutcomeUnknown('no word');
      },
    });
    await expect(exchange(await issue())).rejects.toThrow(AppendOutcomeUnknown);
  });

  test('of the code itself is answered with the code that is in the log', async () => {
    const { hooks, arm } = atAppend('afterAppend');
    const { issue, exchange, grantEvents } = await issuance(hooks);
    arm();
    valueOf(await exchange(await issue()));
    expect(grantEvents()).toEqual(['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed']);
  });
});

test('AZ-53: the code is bound to everything that was approved', async () => {
  const { issue, store, addonId, userId, organizationId, commands } = await issuance();
  valueOf(await commands.updateAddon({ addonId, addRedirectUris: ['https://addon.example/other'] }));
  const asked = {
    scopes: ['openid', 'profiles:read'] as const,
    redirectUri: 'https://addon.example/other',
    codeChallenge: 'c'.repeat(43),
    nonce: 'n-0S6',
    resources: ['https://api.example/a'],
    authTime: 1_234,
  };
  await issue(asked);
  const subject = { kind: 'organization', organizationId, epoch: 1 };
  expect(store.all().at(-1)?.event).toMatchObject({
    type: 'AuthorizationCodeIssued',
    data: { addonId, userId, subject, ...asked },
  });
});

test('G-08: what the credentials of a code, a pair and its successor are made from is random, 128 bits each', async () => {
  const { issue, exchange, refresh, store } = await issuance();
  for (let round = 0; round < 20; round += 1)
    valueOf(await refresh(valueOf(await exchange(await issue())).refreshToken));
  const salts = store.all().flatMap(({ event: { data } }) => ('salt' in data ? [data.salt] : []));
  expect(salts).toHaveLength(60);
  expect(new Set(salts).size).toBe(60);
  expect(salts.map((salt) => Buffer.from(String(salt), 'base64url').length)).toEqual(salts.map(() => 16));
});

test('G-05, G-08: nothing in the log can be used as a credential', async () => {
  const { issue, exchange, refresh, store } = await issuance();
  const code = await issue();
  const first = valueOf(await exchange(code));
  const second = valueOf(await refresh(first.refreshToken));
  const log = JSON.stringify(store.all(), (_key, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const secrets = [code, first.accessToken, first.refreshToken, second.accessToken, second.refreshToken];
  for (const secret of [...secrets.map((text) => text.slice(-60)), verifier])
    expect(log).not.toContain(secret);
});
