import { expect, test } from 'vitest';
import {
  addMember,
  createPublisher,
  isMember,
  membersOf,
  publisherDecider,
  type PublisherEvent,
  removeMember,
  renamePublisher,
} from '../../../src/domain/publishers/publisher.ts';
import { scenariosOf } from '../../support/memory/given.ts';

const given = scenariosOf(publisherDecider);
const created: PublisherEvent = {
  type: 'PublisherCreated',
  data: { publisherId: 'P', name: 'Doors Ltd', at: 1 },
};
const added = (source: 'manual' | 'claim'): PublisherEvent => ({
  type: 'PublisherMemberAdded',
  data: { userId: 'ada', source, at: 2 },
});
const removed = (source: 'manual' | 'claim'): PublisherEvent => ({
  type: 'PublisherMemberRemoved',
  data: { userId: 'ada', source, at: 3 },
});
const ada = { userId: 'ada', now: 3 };

test('AP-10: a publisher is created once, and renamed; the same name again is no event', () => {
  given()
    .when((p) => createPublisher(p, { publisherId: 'P', name: 'Doors Ltd', now: 1 }))
    .accepted(created);
  given(created)
    .when((p) => createPublisher(p, { publisherId: 'P', name: 'Doors Ltd', now: 1 }))
    .refused('publisher-exists');
  given()
    .when((p) => renamePublisher(p, { name: 'Gates', now: 2 }))
    .refused('publisher-unknown');
  given(created)
    .when((p) => renamePublisher(p, { name: 'Gates', now: 2 }))
    .accepted({ type: 'PublisherRenamed', data: { name: 'Gates', at: 2 } });
  given(created)
    .when((p) => renamePublisher(p, { name: 'Doors Ltd', now: 2 }))
    .accepted();
});

test('AP-10: members are added and removed by source, and stay while one of both says so', () => {
  given()
    .when((p) => addMember(p, ada))
    .refused('publisher-unknown');
  given(created)
    .when((p) => addMember(p, { ...ada, now: 2 }))
    .accepted(added('manual'));
  given(created, added('manual'))
    .when((p) => addMember(p, ada))
    .accepted();
  given(created, added('manual'))
    .when((p) => removeMember(p, ada))
    .accepted(removed('manual'));
  given(created)
    .when((p) => removeMember(p, ada))
    .accepted();
  given(created, added('claim'))
    .when((p) => removeMember(p, ada))
    .refused('role-by-claim');
  given(created, added('claim'))
    .when((p) => removeMember(p, { ...ada, source: 'claim' }))
    .accepted(removed('claim'));
  const { state } = given(created, added('manual'), added('claim'), removed('manual'));
  expect([membersOf(state), isMember(state, 'ada'), isMember(state, 'ada', false)]).toEqual([
    ['ada'],
    true,
    false,
  ]);
});
