import { beforeEach, expect, test } from 'vitest';
import type { GrantOwner } from '../../../src/kafka/contract/identity.ts';
import { makeGrantOwners } from '../../../src/kafka/relay/grant-owners.ts';
import { addon, issued, ofOrganization, redeemed, revoked, tell } from '../../projections/follow/a-story.ts';
import { scriptedLog, type ScriptedLog } from '../../support/log/test-projector.ts';

let log: ScriptedLog;
let asked: (readonly string[])[];
let read: string[];
let readModels: Map<string, GrantOwner>;
const ofO1: GrantOwner = { addonId: 'A1', subject: ofOrganization(1) };

beforeEach(() => {
  log = scriptedLog();
  [asked, read, readModels] = [[], [], new Map()];
});

const owners = (most = 100) =>
  makeGrantOwners({
    most,
    find: (grantIds) => {
      asked.push(grantIds);
      return Promise.resolve(new Map(grantIds.flatMap((id) => [[id, readModels.get(id)] as const]).filter((entry): entry is [string, GrantOwner] => entry[1] !== undefined))); // prettier-ignore
    },
    store: {
      read: (stream) => {
        read.push(stream);
        const events = log.events.filter((event) => event.stream === stream);
        return Promise.resolve({ events, revision: events.at(-1)?.revision ?? 'no-stream' });
      },
    },
  });

test('an owner that was said in the batch, or in one before, is asked for nowhere', async () => {
  const ownersOf = owners();
  const [first, ...later] = tell(log, issued('G1'), redeemed('G1'), addon('A7'), revoked('G1'));
  if (!first) throw new Error('no event');
  expect(await ownersOf([first, ...later.slice(0, 2)])).toEqual([null, ofO1, null]);
  expect(await ownersOf(later.slice(2))).toEqual([ofO1]);
  expect([asked, read]).toEqual([[], []]);
});

test('those that are missing are asked for in one statement, and streams are read only of those that are not found', async () => {
  const events = tell(log, issued('G1'), issued('G2'), redeemed('G1'), redeemed('G2'), revoked('G2'));
  readModels.set('G1', ofO1);
  const ownersOf = owners();
  expect(await ownersOf(events.slice(2))).toEqual([ofO1, ofO1, ofO1]);
  expect(asked).toEqual([['G1', 'G2']]);
  expect(read).toEqual(['grant-G2']);
  await ownersOf(events.slice(2));
  expect(asked).toHaveLength(1);
});

test('only so many are kept, those that were used last; a batch of more is answered all the same', async () => {
  const stories = ['G1', 'G2', 'G3'].flatMap((id) => [issued(id), redeemed(id)]);
  const events = tell(log, ...stories);
  const ownersOf = owners(2);
  expect((await ownersOf(events)).filter((owner) => owner !== null)).toHaveLength(3);
  expect(asked).toEqual([]);
  await ownersOf([events[3], events[5]].flatMap((event) => event ?? [])); // G2, G3
  expect(asked).toEqual([]);
  await ownersOf(events.slice(1, 2)); // G1
  expect(asked).toEqual([['G1']]);
});

test('read models that cannot be asked are done without', async () => {
  const events = tell(log, issued('G1'), redeemed('G1'));
  const ownersOf = makeGrantOwners({
    find: () => Promise.reject(new Error('no database')),
    store: { read: () => Promise.resolve({ events: events.slice(0, 1), revision: 0n }) },
  });
  expect(await ownersOf(events.slice(1))).toEqual([ofO1]);
});

test('a grant whose stream does not say whose it is stops the batch: nothing is made up and nothing left out', async () => {
  const ownersOf = owners();
  await expect(ownersOf(tell(log, redeemed('G9')))).rejects.toThrow('grant G9');
});
