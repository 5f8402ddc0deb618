import { expect, test } from 'vitest';
import { makeSignIn } from '../../../src/commands/sign-in/sign-in.ts';
import { makeConcurrencyLimiter } from '../../../src/common/concurrency-limiter.ts';
import { networksAround, networkOf } from '../../../src/http/requests/client-network.ts';
import { marketplace, valueOf } from '../../support/scenes/marketplace.ts';

const credentials = { email: 'ada@example.com', password: 'correct horse' };
const from = (address: string, more: object = {}) => ({
  network: networkOf(address) ?? '',
  around: networksAround(address) ?? {},
  device: null,
  ...more,
});

const withAda = async () => {
  const market = marketplace();
  valueOf(await market.createUser({ ...credentials, name: 'Ada', administratorOf: [], roles: [] }));
  const { device } = valueOf(await market.signIn(credentials));
  return { ...market, device: device.cookie };
};

test('DO-04: an address is counted by itself, its /64, /56 and /48, or its /32 and /24', () => {
  expect(networkOf('2001:db8:1:2a3b::9')).toBe('2001:db8:1:2a3b::/64');
  expect(networksAround('2001:db8:1:2a3b::9')).toEqual({
    'ipv6-address': '2001:db8:1:2a3b:0:0:0:9',
    'ipv6-56': '2001:db8:1:2a00',
    'ipv6-48': '2001:db8:1',
  });
  expect([networkOf('192.0.2.77'), networksAround('192.0.2.77')]).toEqual([
    '192.0.2.77',
    { 'ipv4-24': '192.0.2.0' },
  ]);
  expect(networksAround('no address')).toBeNull();
});

test.each([
  [
    '256 networks of one /56',
    (n: number) => `2001:db8:1:2a${(n % 256).toString(16).padStart(2, '0')}::1`,
    100,
  ],
  ['one /48', (n: number) => `2001:db8:1:${(n % 256).toString(16)}00::1`, 400],
  ['one /24', (n: number) => `192.0.2.${n % 256}`, 400],
])('DO-04: a flood from %s has to wait, and keeps no known device out', async (_name, address, tries) => {
  const { signIn, device } = await withAda();
  const attempt = (n: number) =>
    signIn({ email: `nobody${n}@example.com`, password: 'wrong', from: from(address(n)) });
  for (let n = 0; n < tries; n += 1) expect(await attempt(n)).toMatchObject({ refusal: 'wrong-credentials' });
  expect(await attempt(tries)).toMatchObject({ refusal: 'too-many-attempts' });
  expect(await signIn({ ...credentials, from: from(address(1)) })).toMatchObject({ ok: false });
  expect(await signIn({ ...credentials, from: from(address(1), { device }) })).toMatchObject({ ok: true });
  const elsewhere = from('2001:db8:2:1::1');
  expect(await signIn({ ...credentials, from: elsewhere })).toMatchObject({ ok: true });
});

test('DO-04: while strangers fill the queue of passwords, a known device has a place in it and its turn', async () => {
  const market = await withAda();
  const waiting: (() => void)[] = [];
  const turns = makeConcurrencyLimiter({ atOnce: 1, waiting: 3 });
  const inTurn = <T>(work: () => Promise<T>, known?: boolean) => {
    const slow = () => new Promise<void>((resolve) => waiting.push(resolve)).then(work);
    const turn = turns.take(slow, known);
    if (turn === null) throw new Error('busy');
    return turn;
  };
  const order: string[] = [];
  const passwords = {
    ...market.passwords,
    verify: (hash: string | null, password: string, known?: boolean) =>
      inTurn(async () => {
        order.push(known ? 'known' : 'stranger');
        return market.passwords.verify(hash, password);
      }, known),
  };
  const signIn = makeSignIn({ ...market, passwords });
  const strangers = [1, 2, 3, 4, 5].map((n) =>
    signIn({ email: `x${n}@example.com`, password: 'wrong', from: from(`192.0.${n}.1`) }).catch(
      (error: Error) => error.message,
    ),
  );
  expect(await strangers[4]).toBe('busy');
  const own = signIn({ ...credentials, from: from('192.0.9.1', { device: market.device }) });
  let done = false;
  const all = Promise.all([own, ...strangers]).finally(() => (done = true));
  while (!done) {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect((await all)[0]).toMatchObject({ ok: true });
  expect(order.slice(0, 2)).toEqual(['stranger', 'known']);
});

test('DO-04: a form ends after ten failures, also for the right password and a known device', async () => {
  const { signIn, device } = await withAda();
  const tried = (n: number, interaction: string, email = `x${n}@example.com`) =>
    signIn({ email, password: 'wrong', from: from(`192.0.${n}.1`, { interaction }) });
  for (let n = 0; n < 10; n += 1)
    expect(await tried(n, 'form')).toMatchObject({ refusal: 'wrong-credentials' });
  const right = (interaction: string) =>
    signIn({ ...credentials, from: from('198.51.100.1', { interaction, device }) });
  expect(await right('form')).toEqual({ ok: false, refusal: 'interaction-ended' });
  expect(await right('another form')).toMatchObject({ ok: true });
});
