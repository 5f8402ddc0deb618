import { afterAll, expect, test } from 'vitest';
import { addonStream, publisherStream } from '../../../src/domain/streams.ts';
import { comparePositions } from '../../../src/eventstore/event-store.ts';
import { startHttpApp } from '../../support/scenes/http-app.ts';
import { createUser, publish, setScene } from '../../support/scenes/http-scene.ts';
import { valueOf } from '../../support/scenes/marketplace.ts';
import { apiAt, tokenOf } from '../../support/scenes/operator-api.ts';

const http = await startHttpApp();
const apps = [http.app, http.another()];
afterAll(() => http.close());

test('AP-10: nothing of a member is answered, or left, that follows the removal, on any instance', async () => {
  const { clientId } = await setScene(http, { confidential: true });
  const userId = await createUser(http, 'bea@doors.example');
  const publisherId = await publish(http, clientId, userId);
  const call = apiAt(http, `/publisher/api/addons/${clientId}`, await tokenOf(http, userId));
  const everything = () =>
    Promise.all(
      apps.flatMap((app) => [
        call('POST', '/secrets', undefined, { app }),
        call('POST', '/changes', { website: 'https://a.example/' }, { app }),
      ]),
    );
  let answered = 0;
  for (let round = 0; round < 12; round += 1) {
    valueOf(await http.commands.addPublisherMember({ publisherId, userId }));
    const removal = new Promise<void>((resolve) => {
      setTimeout(() => {
        void http.commands.removePublisherMember({ publisherId, userId }).then(() => resolve());
      }, round * 2);
    });
    const during = await everything();
    await removal;
    const after = await everything();
    expect(after.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    const { events: ofPublisher } = await http.store.readBack(publisherStream(publisherId), 'end', 1);
    const removed = ofPublisher[0]?.position;
    const { events } = await http.store.read(addonStream(clientId));
    const late = events.filter(({ position }) => removed && comparePositions(position, removed) > 0);
    const lateIds = late.flatMap(({ event }) => {
      if (event.type === 'AddonSecretAdded') return [event.data.secretId];
      return event.type === 'AddonChangeRequested' ? [event.data.changeId] : [];
    });
    const answeredIds = during.flatMap(({ status, json }) =>
      status === 201 ? [String(json['secret_id'] ?? json['change_id'])] : [],
    );
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
