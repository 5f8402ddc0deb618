import { describe, expect, test } from 'vitest';
import {
  addonDecider,
  type AddonEvent,
  type AddonState,
  registerAddon,
  resumeAddon,
  suspendAddon,
  usualRegistration,
} from '../../../src/domain/addons/addon.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(addonDecider);

const registration = {
  addonId: 'addon',
  name: 'Door Opener',
  redirectUris: ['https://doors.example/callback'],
  configurationUrl: null,
  allowedScopes: ['access-rights:read'],
  confidential: false,
  ...usualRegistration,
} as const;
const secret = { secretId: 's1', digest: 'digest' };
const registered: AddonEvent = { type: 'AddonRegistered', data: { ...registration, at: 1 } };
const secretAdded = (secretId: string): AddonEvent => ({
  type: 'AddonSecretAdded',
  data: { secretId, digest: `digest of ${secretId}`, at: 2 },
});
const suspended: AddonEvent = { type: 'AddonSuspended', data: { at: 3 } };
const resumed: AddonEvent = { type: 'AddonResumed', data: { at: 3 } };

const registering = (addon: AddonState) => registerAddon(addon, { ...registration, secret: null, now: 1 });
const suspending = (addon: AddonState) => suspendAddon(addon, { now: 3 });
const resuming = (addon: AddonState) => resumeAddon(addon, { now: 3 });

describe('an add-on', () => {
  test('AD-01: is registered once', () => {
    given().when(registering).accepted(registered);
    given(registered).when(registering).refused('already-registered');
  });

  test('AD-02: is registered together with its secret', () => {
    given()
      .when((addon) => registerAddon(addon, { ...registration, confidential: true, secret, now: 1 }))
      .accepted(
        { type: 'AddonRegistered', data: { ...registration, confidential: true, at: 1 } },
        { type: 'AddonSecretAdded', data: { ...secret, at: 1 } },
      );
  });

  test('AD-02: keeps its old secret next to the new one', () => {
    expect(given(registered, secretAdded('s1'), secretAdded('s2')).state).toMatchObject({
      secrets: [{ secretId: 's1' }, { secretId: 's2' }],
    });
  });

  test('SU-01: is suspended once, whatever was asked before', () => {
    given(registered).when(suspending).accepted(suspended);
    given(registered, suspended).when(suspending).accepted();
    given(registered, suspended, resumed).when(suspending).accepted(suspended);
    given().when(suspending).refused('addon-unknown');
  });

  test('SU-01: is resumed only from a suspension', () => {
    given(registered, suspended).when(resuming).accepted(resumed);
    given(registered).when(resuming).accepted();
    given(registered, suspended, resumed).when(resuming).accepted();
    given().when(resuming).refused('addon-unknown');
  });

  test('that was never registered folds to nothing, whatever else its stream holds', () => {
    expect(given(secretAdded('s1'), suspended, resumed).state).toEqual({ status: 'unregistered' });
  });
});
