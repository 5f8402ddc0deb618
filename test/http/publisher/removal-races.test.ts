import { afterAll, expect, test } from 'vitest';
import { addonStream, publisherStream } from '../../../src/domain/streams.ts';
import { comparePositions } from '../../../src/eventstore/event-store.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, setScene } from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';

const http = await startHttpApp();
const apps = [http.app, http.another()];
afterAll(() => http.close());

test('AP-10: nothing of a member is answered, or left, that follows the removal, on any instance', async () => {
  const { clientId } = await setScene(http, { confidential: true });
  const { publisherId } = valueOf(await http.commands.createPublisher({ name: 'Doors Ltd' }));
  valueOf(await http.commands.setAddonPublisher({ addonId: clientId, publisherId }));
  const userId = await createUser(http, 'bea@doors.example');
  const asked = { userId, organizationId: null, name: 'program', days: 1, by: userId };
  const { token } = valueOf(await http.commands.issueAdministratorToken(asked));
  const headers = { authorization: `Bearer ${token}` };
  const root = `/publisher/api/addons/${clientId}`;
  const secret = async (app = apps[0]) => app?.inject({ method: 'POST', url: `${root}/secrets`, headers });
  const change = async (app = apps[0]) =>
    app?.inject({
      method: 'POST',
      url: `${root}/changes`,
      headers,
      payload: { website: 'https://a.example/' },
    });
  let answered = 0;
  for (let round = 0; round < 12; round += 1) {
    valueOf(await http.commands.addPublisherMember({ publisherId, userId }));
    const removal = new Promise<void>((resolve) => {
      setTimeout(() => {
        void http.commands.removePublisherMember({ publisherId, userId }).then(() => resolve());
      }, round * 2);
    });
    const during = await Promise.all(apps.flatMap((app) => [secret(app), change(app)]));
    await removal;
    const after = await Promise.all(apps.flatMap((app) => [secret(app), change(app)]));
    expect(after.map((answer) => answer?.statusCode)).toEqual([404, 404, 404, 404]);
    const { events: ofPublisher } = await http.store.readBack(publisherStream(publisherId), 'end', 1);
    const removed = ofPublisher[0]?.position;
    const { events } = await http.store.read(addonStream(clientId));
    const late = events.filter(({ position }) => removed && comparePositions(position, removed) > 0);
    const lateIds = late.flatMap(({ event }) => {
      if (event.type === 'AddonSecretAdded') return [event.data.secretId];
      return event.type === 'AddonChangeRequested' ? [event.data.changeId] : [];
    });
    const answeredIds = during.flatMap((answer) => {
      if (answer?.statusCode !== 201) return [];
      const json = answer.json<{ secret_id?: string; change_id?: string }>();
      return [json.secret_id ?? json.change_id ?? ''];
    });
    answered += answeredIds.length;
    expect(answeredIds.filter((id) => lateIds.includes(id))).toEqual([]);
    const secrets = (await http.commands.listAddonSecrets(clientId)) ?? [];
    const changes = (await http.commands.listAddonChanges(clientId)) ?? [];
    const left = [
      ...secrets.map(({ secretId }) => secretId),
      ...changes.filter(({ state }) => state === 'waiting').map(({ changeId }) => changeId),
    ];
    expect(left.filter((id) => lateIds.includes(id))).toEqual([]);
    for (const { secretId } of secrets.slice(1))
      valueOf(await http.commands.removeAddonSecret({ addonId: clientId, secretId }));
    for (const { changeId } of changes.filter(({ state }) => state === 'waiting'))
      valueOf(await http.commands.withdrawAddonChange({ addonId: clientId, changeId }));
  }
  expect(answered).toBeGreaterThan(0);
});
