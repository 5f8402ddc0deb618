import { Kafka, logLevel } from 'kafkajs';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { followRevocations } from '../../../docs/examples/refuse-revoked.ts';
import type { RecordedEvent } from '../../../src/eventstore/event-store.ts';
import { publishedTypes } from '../../../src/kafka/contract/decisions.ts';
import { grantIdOf, ownerFrom, type GrantOwner } from '../../../src/kafka/contract/identity.ts';
import { makeToMessage } from '../../../src/kafka/contract/to-message.ts';
import { defaultTopicNames, type TopicNames } from '../../../src/kafka/topics.ts';
import type { MessageToPublish } from '../../../src/kafka/kafka-client.ts';
import { eventually } from '../../support/eventually.ts';
import { startHttpApp, type HttpApp } from '../../support/scenes/http-app.ts';
import { activate, setScene, type Scene } from '../../support/scenes/http-scene.ts';
import { newName, newTopic, testClient } from '../../support/kafka-broker/test-client.ts';
import { brokers, describeWithBroker } from '../../support/kafka-broker/with-broker.ts';
import { obtainTokensOf, presentAs, refreshOf } from '../../support/scenes/presented-tokens.ts';

type Token = Parameters<Awaited<ReturnType<typeof followRevocations>>['refuses']>[0];

/** The messages for everything that is in the log, in its order. */
const messagesIn = async (http: HttpApp, topics: TopicNames): Promise<readonly MessageToPublish[]> => {
  const toMessage = makeToMessage({ source: http.baseUrl, baseUrl: http.baseUrl, topics });
  const owners = new Map<string, GrantOwner>();
  const ownerOf = (event: RecordedEvent): GrantOwner | null => {
    const [grantId, owner] = [grantIdOf(event.stream), ownerFrom(event)];
    if (grantId !== null && owner) owners.set(grantId, owner);
    return grantId === null ? null : (owners.get(grantId) ?? null);
  };
  const leaving = new AbortController();
  const options = { after: null, eventTypes: publishedTypes, signal: leaving.signal };
  const messages: MessageToPublish[] = [];
  for await (const delivered of http.store.subscribe(options)) {
    if (delivered.kind === 'caught-up') break;
    if (delivered.kind !== 'event') continue;
    const message = toMessage(delivered.event, ownerOf(delivered.event));
    if (message && message.topic !== topics.out.addons) messages.push(message);
  }
  leaving.abort();
  return messages;
};

const typeOf = ({ headers }: MessageToPublish) => String(headers['ce_type']);

const topicsOfATest = async (): Promise<TopicNames> => ({
  ...defaultTopicNames,
  out: {
    activations: await newTopic({ partitions: 2 }),
    grants: await newTopic({ partitions: 3 }),
    addons: 'not followed',
  },
});

const follow = async ({ out }: TopicNames) => {
  const kafka = new Kafka({ brokers: [...brokers()], logLevel: logLevel.NOTHING });
  const [admin, consumer] = [kafka.admin(), kafka.consumer({ groupId: newName('group') })];
  await Promise.all([admin.connect(), consumer.connect()]);
  onTestFinished(() => Promise.all([admin.disconnect(), consumer.disconnect()]).then(() => undefined));
  const following = await followRevocations(admin, consumer, [out.activations, out.grants]);
  await eventually(() => expect(following.isCurrent()).toBe(true));
  return following;
};

describeWithBroker('DA-06: the worked consumer of docs/reference/kafka.md', () => {
  let http: HttpApp;
  let scene: Scene;
  beforeAll(async () => {
    http = await startHttpApp();
    scene = await setScene(http, { confidential: true });
  });
  afterAll(() => http.close());

  /** What a resource server is told, and keeps. */
  const introspected = async (token: string): Promise<Token> =>
    (await presentAs(http, '/oauth/introspect', scene, { token })).json<Token>();

  const never = new AbortController().signal;

  test('refuses what was revoked: a grant, one access token, and all of a closed epoch before the single revocations come', async () => {
    const { organizationId, clientId: addonId, userId: by } = scene;
    const asked = { change: { prompt: 'consent' } };
    const ofOrganization = { ...asked, subject: `organization:${organizationId}` };
    const own = await obtainTokensOf(http, scene, { ...asked, subject: 'user' });
    const other = await obtainTokensOf(http, scene, { ...asked, subject: 'user' });
    await activate(http, scene);
    const first = await obtainTokensOf(http, scene, ofOrganization);
    const second = await obtainTokensOf(http, scene, ofOrganization);
    const refreshed = (await refreshOf(http, scene, own.refresh_token)).json<{ access_token: string }>();
    const held = {
      first: await introspected(first.access_token),
      second: await introspected(second.access_token),
      own: await introspected(own.access_token),
      ownRefreshed: await introspected(refreshed.access_token),
      other: await introspected(other.access_token),
    };
    expect([held.first.org_id, held.own.org_id]).toEqual([organizationId, undefined]);
    await presentAs(http, '/oauth/revoke', scene, { token: own.access_token });
    await presentAs(http, '/oauth/revoke', scene, { token: other.refresh_token });
    await http.commands.deactivateAddon({ organizationId, addonId, by });
    await activate(http, scene);
    const again = await introspected((await obtainTokensOf(http, scene, ofOrganization)).access_token);

    const topics = await topicsOfATest();
    const messages = await messagesIn(http, topics);
    // Nobody revokes the grants of the epoch here: it is the deactivation alone that they are refused for.
    const revoked = messages.filter((message) => typeOf(message) === 'grantbook.grant.revoked.v1');
    expect(revoked.map(({ headers }) => headers['ce_subject'])).toEqual([`grant-${held.other.grant_id}`]);
    const firstEnd = messages.findIndex((message) => /revoked|deactivated/.test(typeOf(message)));
    expect(messages.slice(firstEnd).map(typeOf)).toContain('grantbook.activation.deactivated.v1');

    const client = testClient();
    await client.publish(messages.slice(0, firstEnd), never);
    const following = await follow(topics);
    const verdicts = ({ refuses }: typeof following) =>
      Object.fromEntries(Object.entries({ ...held, again }).map(([name, token]) => [name, refuses(token)]));
    const nothing = {
      first: false,
      second: false,
      own: false,
      ownRefreshed: false,
      other: false,
      again: false,
    };
    expect(verdicts(following)).toEqual(nothing);
    await client.publish(messages.slice(firstEnd), never);
    const after = { ...nothing, first: true, second: true, own: true, other: true };
    await eventually(() => expect(verdicts(following)).toEqual(after));

    // Who comes later knows all of it before the first answer, although a relay that was not the only one repeated everything.
    const repeated = await topicsOfATest();
    const all = await messagesIn(http, repeated);
    await client.publish([...all, ...all], never);
    expect(verdicts(await follow(repeated))).toEqual(after);
  });
});
