import { expect, test } from 'vitest';
import { confusionsAmong, findAlike } from '../../src/tasks/addons/look-alikes.ts';

const registered = ['Door Sync', 'PayPal', 'Mооring Map', 'Quay\u200B'].map((name, index) => ({
  addonId: String(index),
  name,
}));
const alikeTo = (name: string) => findAlike(name, registered).map((addon) => addon.name);

test.each([
  ['Dооr Sync', 'Door Sync', 'Cyrillic'],
  ['Ꭰoor Sync', 'Door Sync', 'Cherokee'],
  ['PayPaI', 'PayPal', 'an I for an l'],
  ['𝐏𝐚𝐲𝐏𝐚𝐥', 'PayPal', 'mathematical letters'],
  ['Mooring Map', 'Mооring Map', 'the Latin name after the Cyrillic one'],
  ['Quay', 'Quay\u200B', 'a name that was stored before it was refused'],
  ['Door  Sync', 'Door Sync', 'FX-26: a browser shows two spaces as one'],
  ['Door\u00A0 Sync', 'Door Sync', 'FX-26: a space that does not break'],
])('CL-08: %j looks like %j (%s)', (name, alike) => {
  expect(alikeTo(name)).toEqual([alike]);
});

test('CL-08: a name that differs to the eye is no look-alike, and the very same name is one (FX-54)', () => {
  for (const name of ['Door Sink', 'Doors', 'Paypal Plus', 'بوابة']) expect(alikeTo(name)).toEqual([]);
  expect(alikeTo('Door Sync')).toEqual(['Door Sync']);
});

test('FX-54: of add-ons that look alike, only the one that got its name later is confused with the other', () => {
  const names = [
    { kind: 'addon', id: 'A', name: 'Pier', since: 1 },
    { kind: 'addon', id: 'B', name: 'Pier', since: 2 },
    { kind: 'addon', id: 'C', name: '\u0420ier', since: 2 },
  ] as const;
  const idsOf = (addonId: string, name: string) =>
    confusionsAmong(names)({ addonId, name, publisher: null, publisherId: null }).map(({ id }) => id);
  expect([idsOf('A', 'Pier'), idsOf('B', 'Pier'), idsOf('C', '\u0420ier')]).toEqual([[], ['A'], ['A', 'B']]);
});
