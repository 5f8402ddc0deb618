import { describe, expect, test } from 'vitest';
import { makePasswords, PasswordsBusy } from '../../../src/commands/people/credentials/passwords.ts';
import { makeConcurrencyLimiter } from '../../../src/common/concurrency-limiter.ts';

const cheap = { memoryCost: 8, timeCost: 1 };

describe('passwords', () => {
  test('are hashed as OWASP recommends for argon2id', async () => {
    const { hash, verify } = await makePasswords();
    const hashed = await hash('correct horse');
    expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(await verify(hashed, 'correct horse')).toBe(true);
    expect(await verify(hashed, 'wrong horse')).toBe(false);
  });

  test('have a hash of their own each time', async () => {
    const { hash } = await makePasswords(cheap);
    expect(await hash('correct horse')).not.toBe(await hash('correct horse'));
  });

  test('are the same on keyboards that compose differently', async () => {
    const { hash, verify } = await makePasswords(cheap);
    expect(await verify(await hash('se\u0303nor-café'), 's\u1ebdnor-cafe\u0301')).toBe(true);
  });

  test('of nobody are never right, not even the one that stands in for them', async () => {
    const { verify } = await makePasswords(cheap);
    expect(await verify(null, 'nobody has this password')).toBe(false);
    expect(await verify(null, '')).toBe(false);
  });
});

describe('turns', () => {
  test('let so many run at once, the others in the order in which they came, and refuse what is too much', async () => {
    const turns = makeConcurrencyLimiter({ atOnce: 2, waiting: 2 });
    const begun: number[] = [];
    const ends: (() => void)[] = [];
    const work = (id: number) => () => {
      begun.push(id);
      return new Promise<number>((resolve) => (ends[id] = () => resolve(id)));
    };
    const taken = [0, 1, 2, 3, 4].map((id) => turns.take(work(id)));
    expect(taken[4]).toBeNull();
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    for (const id of [0, 1, 2, 3]) {
      await expect.poll(() => begun).toContain(id);
      ends[id]?.();
      expect(await taken[id]).toBe(id);
    }
    expect(begun).toEqual([0, 1, 2, 3]);
  });

  test('are given back by work that fails, and passwords beyond them are refused', async () => {
    const turns = makeConcurrencyLimiter({ atOnce: 1, waiting: 0 });
    await expect(turns.take(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    const { hash } = await makePasswords(cheap, turns);
    const [first, second] = await Promise.allSettled([hash('one password'), hash('another one')]);
    expect(first.status).toBe('fulfilled');
    expect(second).toMatchObject({ status: 'rejected', reason: expect.any(PasswordsBusy) });
  });
});
