import { describe, expect, test } from 'vitest';
import {
  type BrowserSession,
  endSession,
  handOffActivation,
  sessionAt,
  sessionDecider,
  type SessionEvent,
  startSession,
} from '../../../src/domain/sign-in/session.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(sessionDecider);
const origin = { device: 'Firefox on Linux', network: '192.0.2.7', upstream: null, passkey: null };
const start = { sessionId: 's', userId: 'ada', keyId: 'k1', salt: 'salt', expiresAt: 1_000, ...origin };
const started: SessionEvent = { type: 'SessionStarted', data: { ...start, at: 10 } };
const ended: SessionEvent = { type: 'SessionEnded', data: { at: 50 } };
const handedOff = (addonId: string, expiresAt: number): SessionEvent => ({
  type: 'ActivationHandedOff',
  data: { organizationId: 'org', addonId, at: 20, expiresAt },
});

const ending = (session: BrowserSession) => endSession(session, { now: 50 });
const handingOff = (now: number) => (session: BrowserSession) =>
  handOffActivation(session, { organizationId: 'org', addonId: 'doors', expiresAt: 620, now });

describe('a browser session', () => {
  test('AZ-41: an id starts one session only, and an ended one never starts again', () => {
    const starting = (session: BrowserSession) => startSession(session, { ...start, now: 10 });
    given().when(starting).accepted(started);
    given(started).when(starting).refused('session-exists');
    given(started, ended).when(starting).refused('session-exists');
  });

  test('lives from its start to the moment before it expires', () => {
    const { state } = given(started);
    expect(sessionAt(state, 999)).toMatchObject({ userId: 'ada', authTime: 10 });
    expect(sessionAt(state, 1_000)).toBeNull();
    expect(sessionAt(given().state, 20)).toBeNull();
  });

  test('ends once, and ending what never was changes nothing', () => {
    given(started).when(ending).accepted(ended);
    given(started, ended).when(ending).accepted();
    given().when(ending).accepted();
    expect(sessionAt(given(started, ended).state, 60)).toBeNull();
  });

  test('AC-01: notes a hand-off while it lives', () => {
    given(started).when(handingOff(20)).accepted(handedOff('doors', 620));
    given(started).when(handingOff(1_000)).refused('session-not-live');
    given(started, ended).when(handingOff(60)).refused('session-not-live');
    given().when(handingOff(20)).refused('session-not-live');
  });

  test('AC-01: notes it again only where it says more, so that nobody fills the stream by asking', () => {
    const handOff = (now: number, organizationId = 'org') => ({
      organizationId,
      addonId: 'doors',
      expiresAt: now + 600_000,
    });
    const note = (now: number) => (session: BrowserSession) =>
      handOffActivation(session, { ...handOff(now), now });
    const noted = (now: number, organizationId?: string): SessionEvent => ({
      type: 'ActivationHandedOff',
      data: { ...handOff(now, organizationId), at: now },
    });
    const long: SessionEvent = {
      type: 'SessionStarted',
      data: { ...start, at: 10, expiresAt: 10_000_000 },
    };
    given(long, noted(1_000)).when(note(60_999)).accepted();
    given(long, noted(1_000)).when(note(61_000)).accepted(noted(61_000));
    given(long, noted(1_000), noted(2_000, 'other')).when(note(3_000)).accepted(noted(3_000));
    given(long, noted(1_000)).when(note(601_000)).accepted(noted(601_000));
  });

  test('AC-01: shows each hand-off until its own end, the later for the same add-on in place of the earlier', () => {
    const { state } = given(
      started,
      handedOff('doors', 100),
      handedOff('gates', 200),
      handedOff('doors', 300),
    );
    const shownAt = (now: number) => sessionAt(state, now)?.handOffs.map(({ addonId }) => addonId);
    expect(shownAt(150)).toEqual(['gates', 'doors']);
    expect(shownAt(200)).toEqual(['doors']);
    expect(shownAt(300)).toEqual([]);
  });

  test('takes no hand-off before its start or after its end', () => {
    expect(given(handedOff('doors', 100)).state).toEqual({ status: 'absent' });
    expect(given(started, ended, handedOff('doors', 100)).state).toEqual({ status: 'ended' });
  });
});
