import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../support/eventually.ts';
import { brokers, describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { publishedTypes } from '../../../../src/kafka/contract/decisions.ts';
import { deploy, settleIn } from './deployment.ts';
import { eventsIn, startRelayScene } from './scene.ts';

describeWithBroker('DA-06: without Kafka, and with it later', () => {
  test('what was decided before Kafka was configured goes out from the first event on; a deactivation, its grants, then its completion', async () => {
    const scene = await startRelayScene(brokers());
    onTestFinished(() => scene.close());
    const before = await deploy(scene.ground, false);
    const house = await settleIn(before.core, 'Late');
    for (let n = 0; n < 30; n += 1) await house.grant();
    await house.deactivate();
    const completed = async () =>
      (await eventsIn(scene.store, publishedTypes)).some(({ event }) => event.type === 'RevocationCompleted');
    await expect.poll(completed).toBe(true);
    await before.stop();
    expect(await scene.read()).toEqual([]);

    const later = await deploy(scene.ground, true);
    onTestFinished(() => later.stop());
    await eventually(async () => {
      const { log, found } = await scene.compare();
      expect(found).toEqual(log);
    }, 200);

    const bySequence = (await scene.read())
      .filter(({ key }) => key === `${house.organizationId}.${house.addonId}`)
      .map(({ headers }) => [String(headers['ce_sequence']), String(headers['ce_type'])] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, type]) => type);
    expect(bySequence.slice(-32)).toEqual([
      'grantbook.activation.deactivated.v1',
      ...Array.from({ length: 30 }, () => 'grantbook.grant.revoked.v1'),
      'grantbook.activation.revocation-completed.v1',
    ]);
  });
});
