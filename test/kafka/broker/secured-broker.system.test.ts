import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KafkaUnavailable } from '../../../src/kafka/kafka-client.ts';
import type { KafkaConnection } from '../../../src/kafka/kafkajs/connection.ts';
import { makeKafkaTopics } from '../../../src/kafka/kafkajs/topics.ts';
import { defaultTopicNames } from '../../../src/kafka/topics.ts';
import { makeCertificates } from '../../support/servers/certificates.ts';
import { securedBroker } from '../../support/kafka-broker/secured-broker.ts';
import type { KafkaBroker } from '../../support/kafka-broker/start-broker.ts';
import { connectionTo, testClient } from '../../support/kafka-broker/test-client.ts';
import { describeWithOwnBroker } from '../../support/kafka-broker/with-broker.ts';

const never = new AbortController().signal;

describeWithOwnBroker('a broker with TLS, passwords and access control', async () => {
  const certificates = await makeCertificates();
  const stranger = await makeCertificates();
  const folder = mkdtempSync(join(tmpdir(), 'grantbook-secured-'));
  let broker: KafkaBroker;
  beforeAll(async () => {
    broker = await securedBroker(folder, certificates, {
      all: { name: 'grantbook', password: 'correct-horse' },
      nothing: { name: 'guest', password: 'battery-staple' },
    });
  });
  afterAll(async () => {
    await broker.close();
    rmSync(folder, { recursive: true });
  });

  type Way = Pick<KafkaConnection, 'tls' | 'sasl'>;
  const sasl = { mechanism: 'scram-sha-512', username: 'grantbook', password: 'correct-horse' } as const;
  const good = (): Way => ({ tls: { ca: certificates.ca, identity: certificates.client }, sasl });
  const connection = (way: Way): KafkaConnection => ({ ...connectionTo([broker.brokers]), ...way });
  const topicsBy = (way: Way) =>
    makeKafkaTopics({
      connection: connection(way),
      config: {
        topics: defaultTopicNames,
        newTopics: { create: true, partitions: 1, replicationFactor: null },
      },
      grantSeconds: 86_400,
    });
  const message = { topic: defaultTopicNames.out.grants, key: 'k', value: 'v', headers: {} };

  test.each(['scram-sha-512', 'plain'] as const)(
    'lets us in with %s and our certificate',
    async (mechanism) => {
      const way = { ...good(), sasl: { ...sasl, mechanism } };
      const reports = await topicsBy(way).ensure();
      expect(reports.map(({ state }) => state)).not.toContain('missing');
      await testClient(connection(way)).publish([message], never);
    },
  );

  test('keeps topics from being made where that is not allowed, and we say so and how to go on', async () => {
    const guest = { mechanism: 'scram-sha-512', username: 'guest', password: 'battery-staple' } as const;
    const way = { ...good(), sasl: guest };
    const reports = await topicsBy(way).ensure();
    expect(reports.map(({ state }) => state)).toEqual(Array(7).fill('missing'));
    expect(reports[1]?.problems[0]).toMatch(
      /^it does not exist, or the service may not use or create it \(TOPIC_AUTHORIZATION_FAILED: .*\); let somebody with the rights create it: kafka-topics\.sh --create/,
    );
    const failure = await failureOf(way);
    expect(failure).toContain('AUTHORIZATION_FAILED');
  });

  const failureOf = async (way: Way): Promise<string> => {
    const failure: unknown = await testClient(connection(way))
      .publish([message], never)
      .catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(KafkaUnavailable);
    expect(String(failure)).not.toMatch(/correct-horse|battery-staple|wrong-horse|BEGIN/);
    return String(failure);
  };

  test.each([
    {
      what: 'a wrong password',
      way: () => ({ ...good(), sasl: { ...sasl, password: 'wrong-horse' } }),
      says: /authentication failed/i,
    },
    {
      what: 'an authority that we do not know',
      way: () => ({ ...good(), tls: { ca: stranger.ca, identity: certificates.client } }),
      says: /unable to verify|self.signed|certificate/i,
    },
    {
      what: 'no certificate of ours',
      way: () => ({ ...good(), tls: { ca: certificates.ca, identity: null } }),
      says: /certificate required|alert/i,
    },
    { what: 'plain text to a TLS port', way: () => ({ tls: null, sasl: null }), says: /closed|Closed|TLS/ },
  ])('$what: we cannot get in, and learn why without secrets', async ({ way, says }) => {
    expect(await failureOf(way())).toMatch(says);
  });
});
