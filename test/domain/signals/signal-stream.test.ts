import { describe, expect, test } from 'vitest';
import {
  addonOfSignalStream,
  changeSignalStream,
  createSignalStream,
  deleteSignalStream,
  replaySignalStream,
  setSignalStreamStatus,
  signalStreamDecider,
  signalStreamId,
  type SignalConfiguration,
  type SignalStreamEvent,
  type SignalStreamState,
} from '../../../src/domain/signals/signal-stream.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(signalStreamDecider);
const poll: SignalConfiguration = {
  method: 'poll',
  endpointUrl: null,
  authorization: null,
  eventsRequested: ['urn:a'],
  description: null,
};
const created = (streamId: string): SignalStreamEvent => ({
  type: 'SignalStreamCreated',
  data: { streamId, addonId: 'doors', ...poll, at: 1 },
});
const deleted: SignalStreamEvent = { type: 'SignalStreamDeleted', data: { streamId: 's1', at: 2 } };
const status = (
  to: 'enabled' | 'paused' | 'disabled',
  by: 'receiver' | 'transmitter' = 'receiver',
  reason: string | null = null,
): SignalStreamEvent => ({
  type: 'SignalStreamStatusChanged',
  data: { streamId: 's1', status: to, reason, by, at: 2 },
});
const creating = (streamId: string) => (state: SignalStreamState) =>
  createSignalStream(state, { streamId, addonId: 'doors', ...poll, now: 1 });
const setting = (event: SignalStreamEvent, onlyFrom?: 'enabled') => (state: SignalStreamState) => {
  if (event.type !== 'SignalStreamStatusChanged') throw new Error('not a status');
  const { at: now, ...change } = event.data;
  return setSignalStreamStatus(state, { ...change, now, ...(onlyFrom && { onlyFrom }) });
};
const deleting = (state: SignalStreamState) => deleteSignalStream(state, { streamId: 's1', now: 2 });
const changing = (change: Partial<SignalConfiguration>) => (state: SignalStreamState) =>
  changeSignalStream(state, { streamId: 's1', change, now: 2 });

describe('the signal stream of an add-on', () => {
  test('SG-03: there is one at a time; a repeat of the same creation changes nothing', () => {
    given().when(creating('s1')).accepted(created('s1'));
    given(created('s1')).when(creating('s1')).accepted();
    given(created('s1')).when(creating('s2')).refused('signal-stream-exists');
    given(created('s1'), deleted).when(creating('s2')).accepted(created('s2'));
  });

  test('an event of a change holds the whole configuration; the same once more is none', () => {
    const after = { ...poll, description: 'ours' };
    given(created('s1'))
      .when(changing({ description: 'ours' }))
      .accepted({ type: 'SignalStreamChanged', data: { streamId: 's1', ...after, at: 2 } });
    given(created('s1')).when(changing(poll)).accepted();
    expect(
      given(created('s1'), status('paused', 'receiver', 'we move'), {
        type: 'SignalStreamChanged',
        data: { streamId: 's1', ...after, at: 2 },
      }).state.stream,
    ).toEqual({
      streamId: 's1',
      addonId: 'doors',
      ...after,
      status: 'paused',
      reason: 'we move',
      createdAt: 1,
    });
  });

  test('SG-03: its status is set by either side, and stored again only with another reason of the receiver', () => {
    given(created('s1'))
      .when(setting(status('paused')))
      .accepted(status('paused'));
    given(created('s1'))
      .when(setting(status('enabled', 'transmitter', 'x')))
      .accepted();
    given(created('s1'), status('paused'))
      .when(setting(status('paused', 'transmitter', 'x')))
      .accepted();
    given(created('s1'), status('paused'))
      .when(setting(status('paused')))
      .accepted();
    const because = status('paused', 'receiver', 'we move');
    given(created('s1'), status('paused')).when(setting(because)).accepted(because);
    const late = status('paused', 'transmitter', 'pushes fail');
    given(created('s1'), status('disabled')).when(setting(late, 'enabled')).accepted();
    given(created('s1')).when(setting(late, 'enabled')).accepted(late);
  });

  test('what is deleted, or was never there, is unknown to every command', () => {
    for (const history of [[], [created('s2')], [created('s1'), deleted]])
      for (const decide of [
        changing({}),
        setting(status('paused')),
        deleting,
        (state: SignalStreamState) => replaySignalStream(state, { streamId: 's1', after: '1/1', now: 2 }),
      ])
        given(...history)
          .when(decide)
          .refused('signal-stream-unknown');
    given(created('s1')).when(deleting).accepted(deleted);
  });

  test('an id names its add-on; one of another form names none', () => {
    const [addonId, id] = ['01K9RZ3Q5V0000000000000001', '01K9RZ3Q5V0000000000000002'];
    expect(addonOfSignalStream(signalStreamId(addonId, id))).toBe(addonId);
    for (const other of [
      '',
      addonId,
      `${addonId}_`,
      `${addonId}_${id}_`,
      `${addonId}_${id}_${id}`,
      `x_${id}`,
    ])
      expect(addonOfSignalStream(other)).toBeNull();
  });
});
