import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePasswords } from '../../../src/commands/people/credentials/passwords.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import { createUser, password } from '../../support/scenes/http-scene.ts';
import { formsOf } from '../../support/scenes/pages.ts';
import { isRelease } from '../../support/tiers.ts';

/** Of each kind: a comparison of two kinds has twice as many, interleaved. */
const samples = isRelease ? 500 : 120;

let http: HttpApp;
beforeAll(async () => {
  const passwords = await makePasswords({ memoryCost: 1_024, timeCost: 1, parallelism: 1 });
  http = await startHttpApp({ passwords, signInBeat: 80 }); // ten times what a sign-in takes, as in the service
});
afterAll(() => http.close());

const email = 'timed@harbour.example';
const kinds = ['unknown address', 'wrong password', 'right password'] as const;

/** Milliseconds from the form to the answer, each from a browser that nobody knows, in a network of its own. */
const timed = async (kind: (typeof kinds)[number], index: number): Promise<number> => {
  const page = await http.app.inject({ url: '/sign-in' });
  const { interaction = '' } = formsOf(page.body)[0]?.fields ?? {};
  const cookies = Object.fromEntries(page.cookies.map(({ name, value }) => [name, value]));
  const began = performance.now();
  const answer = await http.app.inject({
    method: 'POST',
    url: '/sign-in',
    cookies,
    remoteAddress: `10.${kinds.indexOf(kind)}.${Math.floor(index / 250)}.${index % 250}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: new URLSearchParams({
      interaction,
      email: kind === 'unknown address' ? `u${String(index).padStart(4, '0')}@harbour.example` : email,
      password: kind === 'right password' ? password : `wrong ${password}`,
    }).toString(),
  });
  const took = performance.now() - began;
  expect(answer.statusCode).toBe(kind === 'right password' ? 303 : 401);
  return took;
};

/** How often one of `a` is longer than one of `b` (0.5: alike), and how many standard errors that is from 0.5 (Mann–Whitney). */
const compare = (a: readonly number[], b: readonly number[]) => {
  const ranked = [...a.map((time) => ({ time, isA: true })), ...b.map((time) => ({ time, isA: false }))].sort(
    (x, y) => x.time - y.time,
  );
  const rankSum = ranked.reduce((sum, { isA }, index) => sum + (isA ? index + 1 : 0), 0);
  const [m, n] = [a.length, b.length];
  const superior = (rankSum - (m * (m + 1)) / 2) / (m * n);
  return { superior, z: (superior - 0.5) / Math.sqrt((m + n + 1) / (12 * m * n)) };
};

test('CL-07: sign-in takes the same time for known and unknown addresses, wrong and right passwords', async () => {
  const userId = await createUser(http, email);
  const times: Record<(typeof kinds)[number], number[]> = {
    'unknown address': [],
    'wrong password': [],
    'right password': [],
  };
  for (let index = 0; index < samples; index += 1) {
    if (index % 25 === 0) await http.commands.unblockSignIn(userId);
    for (let turn = 0; turn < kinds.length; turn += 1) {
      const kind = kinds[(index + turn) % kinds.length] ?? 'right password';
      times[kind].push(await timed(kind, index));
    }
  }
  for (const [one, other] of [
    ['unknown address', 'wrong password'],
    ['wrong password', 'right password'],
  ] as const) {
    const { superior, z } = compare(times[one], times[other]);
    // One false alarm in a million comparisons, and only for a difference that so many samples tell from a machine's noise.
    const isTold = Math.abs(z) > 4.9 && Math.abs(superior - 0.5) > 0.15;
    expect({ one, other, isTold }, `superior ${superior}, z ${z}`).toEqual({ one, other, isTold: false });
  }
});
