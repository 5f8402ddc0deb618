import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { emailProblem, normaliseEmail } from '../../../src/domain/people/email.ts';
import { isUlid } from '../../../src/domain/kernel/ids.ts';
import { nameProblem, normaliseName, withInvisibleShown } from '../../../src/domain/kernel/name.ts';
import { passwordProblem } from '../../../src/commands/people/credentials/password-policy.ts';

describe('an e-mail address', () => {
  test.each([
    [' Ada@Example.COM ', 'ada@example.com'],
    ['ada.lovelace+doors@mail.example.co.uk', 'ada.lovelace+doors@mail.example.co.uk'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
  ])('%j is claimed as %j', (given, claimed) => {
    expect(normaliseEmail(given)).toBe(claimed);
    expect(emailProblem(claimed)).toBeNull();
  });

  test.each([
    '',
    'ada',
    '@example.com',
    'ada@',
    'ada@localhost',
    'ada@example.',
    'a@b@example.com',
    'ada @example.com',
    'ada@exam ple.com',
    'ada@example.com\nbcc: bo@example.com',
    'a<b@example.com',
    'ada@example.com\u0000',
    `${'a'.repeat(250)}@example.com`,
    'ada\ud800@example.com',
  ])('%j is none', (address) => {
    expect(emailProblem(address)).not.toBeNull();
  });

  test.each(['\u200b', '\u202e', '\u00ad', '\u3164'])(
    'FX-26: with the invisible character %j, which would look like another one, is none, and says so',
    (character) => {
      const point = `U+${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
      expect(emailProblem(`ad${character}a@example.com`)).toContain(point);
      expect(emailProblem(`ada@exam${character}ple.com`)).toContain(point);
    },
  );

  test('is the same after normalising twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (address) => {
        expect(normaliseEmail(normaliseEmail(address))).toBe(normaliseEmail(address));
      }),
    );
  });
});

describe('a name', () => {
  test('is one visible line of up to 100 characters, counted as people count', () => {
    expect(nameProblem('Harbour House, Kiel (Förde) 🚪')).toBeNull();
    expect(nameProblem('🚪'.repeat(100))).toBeNull();
    for (const name of [
      '',
      ' \t ',
      'a'.repeat(101),
      'two\nlines',
      'nul\u0000',
      'line\u2028separator',
      '\ud800',
    ])
      expect(nameProblem(name)).not.toBeNull();
  });

  test.each([
    ['\u202E', 'turns the direction of writing'],
    ['\u2066', 'isolates a direction'],
    ['\u200E', 'marks a direction'],
    ['\u061C', 'marks a direction, of Arabic'],
    ['\u200B', 'is a space without width'],
    ['\u200C', 'parts letters'],
    ['\u200D', 'joins letters'],
    ['\u2060', 'joins words'],
    ['\uFEFF', 'is a space without width, too'],
    ['\u00AD', 'is a hyphen that is not shown'],
    ['\u034F', 'joins graphemes'],
    ['\u3164', 'fills the place of a letter'],
    ['\uFE0F', 'selects a variation'],
    ['\u{E0041}', 'is a tag'],
  ])('CL-08: holds no %j, which %s; the problem names it', (character) => {
    const code = character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    expect(nameProblem(`Door${character}Sync`)).toContain(`U+${code}`);
    expect(withInvisibleShown(`Door${character}Sync`)).toBe('Door\uFFFDSync');
  });

  test('CL-08: is in NFC, without spaces at its ends', () => {
    expect(normaliseName(' Cafe\u0301\u2003')).toBe('Caf\u00E9');
    expect(nameProblem('Cafe\u0301')).toContain('NFC');
    expect(nameProblem('Quay ')).toContain('spaces');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const name = normaliseName(text);
        expect(normaliseName(name)).toBe(name);
        expect(nameProblem(name) !== null || withInvisibleShown(name) === name).toBe(true);
      }),
    );
  });

  test('CL-08: of any script is taken, as it is written', () => {
    for (const name of [
      'بوابة الميناء',
      'שער הנמל',
      '港の門',
      'Порт',
      'Zür­i'.replace('\u00AD', ''),
      'हार्बर',
      'ท่าเรือ',
    ])
      expect(nameProblem(name)).toBeNull();
  });
});

describe('a password', () => {
  test('has 8 to 256 characters of any kind', async () => {
    for (const password of ['1a2b3c4e', 'a'.repeat(256), '🚪'.repeat(256), '        '])
      expect(await passwordProblem(password)).toBeNull();
    for (const password of ['', '1234567', 'a'.repeat(257), '🚪'.repeat(7)])
      expect(await passwordProblem(password)).toBe('must have 8 to 256 characters');
  });

  test.each(['password', 'PassWord1', '12345678', 'qwertyuiop', 'trustno1', 'abnormal', 'ｐａｓｓｗｏｒｄ'])(
    'FX-10: is none that everybody tries first: %s',
    async (password) =>
      expect(await passwordProblem(password)).toBe('must not be one of the passwords that are used most'),
  );

  test('FX-10: may contain a common one: the whole password is compared', async () => {
    for (const password of ['password and more', 'correct horse battery staple'])
      expect(await passwordProblem(password)).toBeNull();
  });
});

describe('an id', () => {
  test('of our own is a ULID as we write it', () => {
    expect(isUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV')).toBe(true);
    for (const id of [
      '',
      '01arz3ndektsv4rrffq69g5fav',
      '81ARZ3NDEKTSV4RRFFQ69G5FAV',
      '01ARZ3NDEKTSV4RRFFQ69G5FAI',
    ])
      expect(isUlid(id)).toBe(false);
    expect(isUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV\n')).toBe(false);
  });
});
