import { expect, test } from 'vitest';
import {
  addonDecider,
  registerAddon,
  usualRegistration,
  type AddonEvent,
} from '../../../src/domain/addons/addon.ts';
import { audienceChangeProblems, changeAudiences } from '../../../src/domain/addons/addon-audiences.ts';
import { fold } from '../../../src/domain/kernel/decision.ts';

const now = 1_800_000_000_000;
const [doors, lamps] = ['https://doors.example/api', 'urn:example:lamps'];
const of = (audience: string, resourceServerId: string | null = null) => ({ audience, resourceServerId });
const registered = registerAddon(addonDecider.initial, {
  addonId: 'addon',
  name: 'Door Sync',
  redirectUris: ['https://addon.example/cb'],
  configurationUrl: null,
  allowedScopes: [],
  confidential: true,
  ...usualRegistration,
  secret: null,
  now,
}).events;
const after = (...events: readonly AddonEvent[]) => fold(addonDecider, [...registered, ...events]);
const change = (
  state: ReturnType<typeof after>,
  add: readonly ReturnType<typeof of>[],
  remove: readonly string[] = [],
) => changeAudiences(state, { add, remove, now });

test('CL-06: an operator lets an add-on ask for a resource, and takes it back; what is so already changes nothing', () => {
  const { events } = change(after(), [of(doors, 'server'), of(lamps)]);
  expect(events.map(({ type, data }) => [type, data])).toEqual([
    ['AddonAudienceAllowed', { ...of(doors, 'server'), at: now }],
    ['AddonAudienceAllowed', { ...of(lamps), at: now }],
  ]);
  const allowed = after(...events);
  expect(allowed).toMatchObject({ allowedAudiences: [of(doors, 'server'), of(lamps)] });
  expect(change(allowed, [of(doors, 'server')], ['urn:other']).events).toEqual([]);
  expect(change(allowed, [of(lamps, 'registered since')]).events).toHaveLength(1);
  const taken = after(...events, ...change(allowed, [], [doors]).events);
  expect(taken).toMatchObject({ allowedAudiences: [of(lamps)] });
});

test('CL-06: not for an unknown add-on, not more than a hundred, and only what can be a resource', () => {
  expect(change(addonDecider.initial, [of(doors)]).refusal).toBe('addon-unknown');
  const many = Array.from({ length: 101 }, (_, at) => of(`urn:example:${at}`));
  expect(change(after(), many).refusal).toBe('too-many-audiences');
  expect(change(after(), many.slice(1)).refusal).toBeUndefined();
  expect(audienceChangeProblems({ add: [of(doors), of('/api'), of(lamps)], remove: [lamps] })).toEqual([
    { field: 'addAudience[1]', message: 'must be an absolute URI' },
    { field: 'addAudience[2]', message: 'is added and removed' },
  ]);
});
