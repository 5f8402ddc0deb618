import { expect, onTestFinished, test } from 'vitest';
import { addonDecider } from '../../../src/domain/addons/addon.ts';
import { addonStream } from '../../../src/domain/streams.ts';
import { load } from '../../../src/commands/kernel/handle.ts';
import { valueOf } from '../../support/outcomes.ts';
import { freshDatabase } from '../../support/servers/databases.ts';
import type { Place } from './history.ts';
import { openStage } from './stage.ts';
import { startTestServers } from '../../support/test-servers.ts';

const rounds = 12;
/** Requests of each kind at each instance after the removal was answered. */
const afterwards = 2;

test('AP-10: two processes take nothing from a member of a publisher once the removal has been answered', async () => {
  const { node, database } = await startTestServers(onTestFinished, freshDatabase);
  const stage = await openStage({ node, databaseUrl: database.url });
  onTestFinished(() => stage.close());
  const { commands, store } = stage.core;
  const { publisherId } = valueOf(await commands.createPublisher({ name: 'Doors Ltd' }));
  const account = async (name: string, roles: readonly 'operator'[]) => {
    const person = { email: `${name}@example.com`, name, password: 'correct horse battery staple' };
    const { userId } = valueOf(await commands.createUser({ ...person, administratorOf: [], roles }));
    const asked = { userId, organizationId: null, name: 'attack', days: 1, by: userId };
    const { token } = valueOf(await commands.issueAdministratorToken(asked));
    return { userId, headers: { authorization: `Bearer ${token}` } };
  };
  const operator = await account('olga', ['operator']);
  const tally = { before: 0, refused: 0 };
  const violations: unknown[] = [];

  const play = async (round: number) => {
    const member = await account(`member${round}`, []);
    const registered = await commands.registerAddon({
      name: `Door ${round}`,
      redirectUris: ['https://doors.example/callback'],
      configurationUrl: 'https://doors.example/setup',
      allowedScopes: ['profiles:read'],
      confidential: true,
    });
    const addonId = valueOf(registered).clientId;
    valueOf(await commands.updateAddon({ addonId, publisherId }));
    valueOf(await commands.addPublisherMember({ publisherId, userId: member.userId }));
    let [answered, added] = [Infinity, 0];
    const own = `/publisher/api/addons/${addonId}`;
    const acts = [
      () => ({ method: 'POST', path: `${own}/secrets` }) as const,
      (turn: number) =>
        ({
          method: 'POST',
          path: `${own}/changes`,
          json: { website: `https://doors.example/${turn}` },
        }) as const,
      () => ({ method: 'GET', path: `${own}/secrets` }) as const,
    ];
    const insist = async (place: Place, act: (typeof acts)[number]) => {
      for (let [turn, after] = [0, 0]; after < afterwards; turn += 1) {
        if (answered < Infinity) after += 1;
        const { began, status } = await stage.wire.send(place, { ...act(turn), headers: member.headers });
        if (began <= answered) tally.before += status !== null && status < 300 ? 1 : 0;
        else if (status === 404) tally.refused += 1;
        else violations.push({ round, place, status });
        if (act === acts[0] && status === 201) added += 1;
      }
    };
    const remove = async () => {
      await expect.poll(() => tally.before).toBeGreaterThan(before);
      const { status, answered: at } = await stage.wire.send((round % 2) as Place, {
        method: 'POST',
        path: `/operator/api/users/${member.userId}/remove-role`,
        headers: operator.headers,
        json: { role: 'publisher', publisher: publisherId },
      });
      expect(status).toBe(200);
      answered = at;
    };
    const before = tally.before;
    await Promise.all([
      remove(),
      ...([0, 1] as const).flatMap((place) => acts.map((act) => insist(place, act))),
    ]);
    // Each secret that was answered is there, and no other: what followed the removal in the log was taken back.
    const { state } = await load(store, addonStream(addonId), addonDecider);
    expect('secrets' in state && state.secrets.length).toBe(1 + added);
  };

  for (let round = 0; round < rounds; round += 1) await play(round);
  expect(violations).toEqual([]);
  expect(tally.before).toBeGreaterThanOrEqual(rounds);
  expect(tally.refused).toBeGreaterThanOrEqual(rounds * 6);
});
