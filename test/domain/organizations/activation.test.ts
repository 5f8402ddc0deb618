import { describe, expect, test } from 'vitest';
import {
  activateAddon,
  activationsADay,
  activationDecider,
  completeRevocation,
  deactivateAddon,
  mayActivateFrom,
  type ActivationEvent,
  type ActivationState,
} from '../../../src/domain/organizations/activation.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(activationDecider);
const who = { organizationId: 'org', addonId: 'addon', by: 'ada' };
const now = 1_800_000_000_000;

const activated = (epoch: number): ActivationEvent => ({
  type: 'AddonActivated',
  data: { ...who, epoch, at: now },
});
const deactivated = (epoch: number): ActivationEvent => ({
  type: 'AddonDeactivated',
  data: { ...who, epoch, at: now },
});
const completed = (epoch: number, grants = 3): ActivationEvent => ({
  type: 'RevocationCompleted',
  data: { epoch, grants, at: now },
});
const activating = (state: ActivationState) => activateAddon(state, { ...who, now });
const deactivating = (state: ActivationState) => deactivateAddon(state, { ...who, now });
const completing = (epoch: number) => (state: ActivationState) =>
  completeRevocation(state, { epoch, grants: 3, now });

describe('an activation', () => {
  test('starts with epoch 1', () => {
    given().when(activating).accepted(activated(1));
  });

  test('DE-05: of an active add-on changes nothing', () => {
    given(activated(1)).when(activating).accepted();
  });

  test('DE-05: after a deactivation starts a new epoch', () => {
    given(activated(1), deactivated(1)).when(activating).accepted(activated(2));
    given(activated(1), deactivated(1), completed(1)).when(activating).accepted(activated(2));
  });
});

describe('the 201st activation within 24 hours', () => {
  const turns = (count: number, at: (turn: number) => number): ActivationEvent[] =>
    Array.from({ length: count }, (_, turn): ActivationEvent[] => [
      { type: 'AddonActivated', data: { ...who, epoch: turn + 1, at: at(turn) } },
      { type: 'AddonDeactivated', data: { ...who, epoch: turn + 1, at: at(turn) } },
    ]).flat();
  const day = 86_400_000;
  const minutely = (turn: number) => now + turn * 60_000;
  const activatingAt = (time: number) => (state: ActivationState) =>
    activateAddon(state, { ...who, now: time });
  const next = (epoch: number, at: number): ActivationEvent => ({
    type: 'AddonActivated',
    data: { ...who, epoch, at },
  });

  test('is refused, remembers nothing, and is possible a day after the first of them', () => {
    const worn = given(...turns(activationsADay, minutely));
    worn.when(activatingAt(minutely(200))).refused('activated-too-often');
    worn.when(activatingAt(now + day - 1)).refused('activated-too-often');
    expect(mayActivateFrom(worn.state.recentActivations)).toBe(now + day);
    worn.when(activatingAt(now + day)).accepted(next(201, now + day));
    expect(mayActivateFrom(given(...turns(activationsADay - 1, minutely)).state.recentActivations)).toBe(0);
  });

  test('is not refused to an operator', () => {
    const at = minutely(200);
    given(...turns(activationsADay, minutely))
      .when((state) => activateAddon(state, { ...who, by: 'break-glass', now: at }))
      .accepted({ type: 'AddonActivated', data: { ...who, by: 'break-glass', epoch: 201, at } });
  });

  test('is judged by the last day alone, however often it was activated before', () => {
    const long = given(...turns(1000, (turn) => now + turn * 500_000)); // one in 8 minutes: 172 a day
    long.when(activatingAt(now + 1000 * 500_000)).accepted(next(1001, now + 1000 * 500_000));
    expect(long.state.recentActivations.length).toBeLessThan(activationsADay);
  });

  test('DE-05: of an active add-on changes nothing, then as ever', () => {
    given(...turns(activationsADay, minutely).slice(0, -1))
      .when(activatingAt(minutely(200)))
      .accepted();
  });

  test('DE-01: leaves a deactivation alone: that always works', () => {
    given(...turns(activationsADay, minutely).slice(0, -1))
      .when((state) => deactivateAddon(state, { ...who, now: minutely(200) }))
      .accepted({ type: 'AddonDeactivated', data: { ...who, epoch: activationsADay, at: minutely(200) } });
  });
});

describe('a deactivation', () => {
  test('DE-01: is one event with the epoch that ends', () => {
    given(activated(1), deactivated(1), activated(2)).when(deactivating).accepted(deactivated(2));
  });

  test('DE-05: a second time changes nothing', () => {
    given(activated(1), deactivated(1)).when(deactivating).accepted();
  });

  test('of what never was active is refused', () => {
    given().when(deactivating).refused('never-activated');
  });
});

describe('the end of a revocation', () => {
  test('DE-04: is remembered once an epoch', () => {
    given(activated(1), deactivated(1)).when(completing(1)).accepted(completed(1));
    given(activated(1), deactivated(1), completed(1)).when(completing(1)).accepted();
  });

  test('DE-04: is remembered also when the next epoch has begun, and does not end that one', () => {
    const again = [activated(1), deactivated(1), activated(2)];
    given(...again)
      .when(completing(1))
      .accepted(completed(1));
    expect(given(...again, completed(1)).state).toMatchObject({ status: 'active', epoch: 2 });
  });
});
