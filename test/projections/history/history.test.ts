import { afterAll, beforeEach, expect, test } from 'vitest';
import { typesWithSubjects } from '../../../src/domain/events.ts';
import { historyGroup, historyProjections } from '../../../src/projections/history/history.ts';
import { makeHistoryReader } from '../../../src/projections/history/read-history.ts';
import { testReadModels } from '../../support/log/read-models.ts';
import { positionOf, projectAll, scriptedLog, type ScriptedLog } from '../../support/log/test-projector.ts';
import {
  administrator,
  approved,
  deactivated,
  issued,
  profile,
  redeemed,
  refreshed,
  revoked,
  tell,
  wholeStory,
  type Told,
  told,
  session,
} from '../follow/a-story.ts';

let log: ScriptedLog;

const side = await testReadModels();
beforeEach(async () => {
  await side.clear();
  log = scriptedLog();
});
afterAll(() => side.close());

const project = (batchSize = 1000) =>
  projectAll(side.database.url, log, { name: historyGroup, projections: historyProjections, batchSize });

type Asked = Parameters<ReturnType<typeof makeHistoryReader>['references']>;
const typesOf = async (kind: Asked[0]['kind'], id: string, from: Asked[1] = forward, ...more: unknown[]) => {
  const [limit = 100, filters = {}] = more as [number?, Asked[3]?];
  const found = await makeHistoryReader(side.reader).references({ kind, id }, from, limit, filters);
  return found.map(({ type }) => type);
};
const forward = { order: 'forward', after: null } as const;
const backward = { order: 'backward', before: null } as const;

const [started, ended] = session('S1');
const handOff = { organizationId: 'O1', addonId: 'A1', expiresAt: 2 };
const signIn = [started, told('session-S1', 'ActivationHandedOff', handOff), ended].filter(Boolean) as Told[];

test('FX-34: the own grants of many users are found by one statement', async () => {
  const own = { kind: 'user', userId: 'U1', epoch: 0 } as const;
  tell(log, issued('G1'), issued('G2', own), issued('G3', own, 'A2'), redeemed('G2'));
  await project();
  const found = async (...asked: Parameters<ReturnType<typeof makeHistoryReader>['ownGrants']>) =>
    (await makeHistoryReader(side.reader).ownGrants(...asked)).map(({ stream }) => stream);
  expect(await found(['U0', 'U1', 'U2'], {})).toEqual(['grant-G2', 'grant-G3']);
  expect(await found(['U1'], { addonId: 'A2' })).toEqual(['grant-G3']);
  expect(await found(['U1'], { to: 0 })).toEqual([]);
  expect(await found(['U2'], {})).toEqual([]);
});

test('what happens to a grant is found under its organization, add-on and user, and a session under its user', async () => {
  tell(log, issued('G1'), profile('P1'), redeemed('G1'), refreshed('G1', 1), revoked('G1'), ...signIn);
  await project(1); // so that nothing but the tables says whose the grant is
  const grant = ['AuthorizationCodeIssued', 'AuthorizationCodeRedeemed', 'TokensRefreshed', 'GrantRevoked'];
  expect(await typesOf('grant', 'G1')).toEqual(grant);
  expect(await typesOf('organization', 'O1')).toEqual([...grant, 'ActivationHandedOff']);
  expect(await typesOf('addon', 'A1')).toEqual([...grant, 'ActivationHandedOff']);
  expect(await typesOf('user', 'U1')).toEqual([
    ...grant,
    'SessionStarted',
    'ActivationHandedOff',
    'SessionEnded',
  ]);
  expect(await typesOf('grant', 'P1')).toEqual([]);
});

test('a user approves for an organization, or for the own records; whoever switches is found too', async () => {
  tell(
    log,
    approved('O1', 'U1', [], 1),
    approved('U1', 'U1', [], 0),
    deactivated(1),
    administrator('O1', 'U2'),
  );
  await project();
  expect(await typesOf('organization', 'O1')).toEqual([
    'ScopesApproved',
    'AddonDeactivated',
    'AdministratorAdded',
  ]);
  expect(await typesOf('organization', 'U1')).toEqual([]);
  expect(await typesOf('user', 'U2')).toEqual(['AddonDeactivated', 'AdministratorAdded']);
});

test('it is read in pages, forward and backward, and by type, time and actor', async () => {
  tell(log, issued('G1'), redeemed('G1'), refreshed('G1', 1), refreshed('G1', 2), revoked('G1'));
  await project();
  expect(await typesOf('grant', 'G1', { order: 'forward', after: positionOf(10) }, 2)).toEqual([
    'AuthorizationCodeRedeemed',
    'TokensRefreshed',
  ]);
  expect(await typesOf('grant', 'G1', backward, 2)).toEqual(['GrantRevoked', 'TokensRefreshed']);
  expect(await typesOf('grant', 'G1', { order: 'backward', before: positionOf(30) }, 5)).toEqual([
    'AuthorizationCodeRedeemed',
    'AuthorizationCodeIssued',
  ]);
  const eventTypes = ['AuthorizationCodeIssued'] as const;
  expect(await typesOf('organization', 'O1', backward, 9, { eventTypes })).toEqual(eventTypes);
  const [from, to] = [log.events[1]?.created, log.events[2]?.created];
  expect(await typesOf('grant', 'G1', forward, 9, { from, to })).toEqual([
    'AuthorizationCodeRedeemed',
    'TokensRefreshed',
  ]);
  expect(await typesOf('grant', 'G1', forward, 9, { actor: 'break-glass' })).toEqual([]);
});

test('however the log is cut into batches, the tables are the same; and a replay from zero ends in them', async () => {
  tell(log, ...wholeStory(), ...signIn);
  const dumps = [];
  for (const batchSize of [1000, 1, 3]) {
    await side.clear();
    await project(batchSize);
    const { history_streams, history_events, history_references } = await side.dump();
    dumps.push({ history_streams, history_events, history_references });
  }
  expect(dumps[0]?.history_events?.length).toBeGreaterThan(5);
  expect(dumps[0]?.history_references?.length).toBeGreaterThan(wholeStory().length / 2);
  expect(dumps[1]).toEqual(dumps[0]);
  expect(dumps[2]).toEqual(dumps[0]);
});

test('records are referred to nowhere', () => {
  expect(typesWithSubjects.filter((type) => /^(Profile|Reservation|AccessRight)/.test(type))).toEqual([]);
});
