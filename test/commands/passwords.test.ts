import { describe, expect, test } from 'vitest';
import { makePasswords } from '../../src/commands/passwords.ts';

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
