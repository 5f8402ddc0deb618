import { expect, test } from 'vitest';
import { revocationNames, wantedOf } from '../../bench/revocation/names.ts';

const wanted = (only: string | undefined, quick = false) => revocationNames.filter(wantedOf(only, quick));

test('the group makes all of its results but those that take many minutes', () => {
  const left = revocationNames.filter((name) => !wanted(undefined).includes(name));
  expect(left).toEqual(['last-grant-revoked-1000000', 'last-grant-revoked-1000000-rate']);
  expect(wanted('revocation')).toEqual(wanted(undefined));
});

test('with --quick nothing needs more than the seed of a moment', () => {
  const quick = wanted('revocation', true);
  expect(quick).toContain('deactivation-100000');
  expect(quick).toContain('last-grant-revoked-1000');
  expect(quick.filter((name) => /1000000|flatness|revoked-100000/.test(name))).toEqual([]);
});

test.each(revocationNames)('%s named alone is made alone, with --quick too', (name) => {
  expect(wanted(name)).toEqual([name]);
  expect(wanted(name, true)).toEqual([name]);
});
