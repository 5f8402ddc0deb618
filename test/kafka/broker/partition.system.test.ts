import { randomUUID } from 'node:crypto';
import { expect, onTestFailed, onTestFinished, test } from 'vitest';
import { composeService } from '../../../src/compose/service.ts';
import { readConfig } from '../../../src/config/config.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import { askReadiness } from '../../support/scenes/ask-readiness.ts';
import { freshDatabase } from '../../support/servers/databases.ts';
import { freePort } from '../../support/servers/free-port.ts';
import { endInstance, readyInstance, spawnInstance } from '../../support/servers/instance.ts';
import { startKafkaBroker } from '../../support/kafka-broker/start-broker.ts';
import { connectionTo, readAll, testClient } from '../../support/kafka-broker/test-client.ts';
import { describeWithOwnBroker } from '../../support/kafka-broker/with-broker.ts';
import { startTestNode } from '../../support/servers/node.ts';
import { valueOf } from '../../support/outcomes.ts';
import { startTcpProxy } from '../../support/servers/tcp-proxy.ts';
import { sharedSettings } from '../../support/shared-settings.ts';
import { watchedLogger } from '../../support/trouble/watched-lines.ts';
import { allowTrouble } from '../../support/trouble/expect-trouble.ts';
import { brokerAway } from '../../support/trouble/server-killed.ts';

allowTrouble(...brokerAway);

/** One broker on two addresses, of which one goes through a wire that can be frozen. */
const startWiredBroker = async () => {
  const [port, wiredPort] = [await freePort(), await freePort()];
  const wire = await startTcpProxy(wiredPort);
  onTestFinished(() => wire.close());
  const broker = await startKafkaBroker({
    port,
    properties: {
      listeners: `CLIENTS://127.0.0.1:${port},WIRED://127.0.0.1:${wiredPort},CONTROLLER://127.0.0.1:${await freePort()}`,
      'advertised.listeners': `CLIENTS://127.0.0.1:${port},WIRED://127.0.0.1:${wire.port}`,
      'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,CLIENTS:PLAINTEXT,WIRED:PLAINTEXT',
    },
  });
  onTestFinished(() => broker.close());
  return { wire, broker, wired: `127.0.0.1:${wire.port}` };
};

const startStores = async () => {
  const [node, database] = await Promise.all([startTestNode(), freshDatabase()]);
  onTestFinished(async () => {
    await node.close();
    await database.drop();
  });
  return { databaseUrl: database.url, eventStoreUrl: node.url };
};

const startInstance = async (settings: Readonly<Record<string, string>>) => {
  const instance = await readyInstance(spawnInstance(settings));
  onTestFailed(() => void process.stderr.write(instance.output()));
  onTestFinished(async () => void (await endInstance(instance, 'SIGTERM')));
  return instance;
};

/** Before the cut, and after it, nothing is promised of a broker that has just started on a busy machine. */
const waiting = { interval: 250 };

describeWithOwnBroker('OP-05: an instance that is cut off from Kafka', () => {
  test('names that within 15 s, another one relays on in its place, and it comes back by itself', async () => {
    const { wire, broker, wired } = await startWiredBroker();
    const stores = await startStores();
    const settings = sharedSettings(stores);
    const cutOff = await startInstance({ ...settings, KAFKA_BROKERS: wired });
    const readiness = () => askReadiness(cutOff.baseUrl);
    await expect.poll(readiness, waiting).toMatchObject({ status: 'ready', checks: { kafka: 'ok' } });
    const other = await startInstance({ ...settings, KAFKA_BROKERS: broker.brokers });
    const core = await composeService(readConfig(settings), stores, watchedLogger());
    onTestFinished(() => core.close());

    const read = readAll(testClient(connectionTo([broker.brokers])), Object.values(defaultTopicNames.out));
    const registerAddon = async () => {
      const registered = await core.commands.registerAddon({
        name: `Door Sync ${randomUUID()}`,
        redirectUris: ['https://addon.example/cb'],
        configurationUrl: 'https://addon.example/',
        allowedScopes: ['profiles:read'],
        confidential: false,
      });
      return valueOf(registered).clientId;
    };
    const keys = () => read.map(({ key }) => String(key));
    const before = await registerAddon();
    await expect.poll(keys, waiting).toContainEqual(expect.stringContaining(before));

    wire.freeze();
    const during = await registerAddon();
    await expect.poll(readiness, { interval: 250 }).toMatchObject({
      status: 'degraded',
      checks: { kafka: expect.stringContaining('does not work') as string },
    });
    await expect.poll(keys, waiting).toContainEqual(expect.stringContaining(during));
    // Not at once: right after the takeover a starved machine may cost it its session with the database again.
    await expect.poll(() => askReadiness(other.baseUrl), waiting).toMatchObject({ checks: { kafka: 'ok' } });

    wire.thaw();
    await expect.poll(readiness, waiting).toMatchObject({ status: 'ready', checks: { kafka: 'ok' } });
  });
});
