import { describe, expect, test } from 'vitest';
import {
  activateAddon,
  activationDecider,
  completeRevocation,
  deactivateAddon,
  type ActivationEvent,
  type ActivationState,
} from '../../src/domain/activation.ts';
import { scenariosOf } from '../support/given.ts';

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
