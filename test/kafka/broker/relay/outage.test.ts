import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { type KafkaBroker, startKafkaBroker } from '../../../support/kafka-broker/start-broker.ts';
import { quietLogger } from '../../../support/quiet-logger.ts';
import { type Deployment, deploy, settleIn } from './deployment.ts';
import { type RelayScene, startRelayScene } from './scene.ts';

const isSlow = process.env['GRANTBOOK_SLOW_TESTS'] !== undefined;

/** Grants, refreshes and turns of the activation by real commands, until told to stop. */
const startLoad = async ({ core }: Deployment, name: string) => {
  const house = await settleIn(core, name);
  let stopping = false;
  let commands = 0;
  const work = async () => {
    for (let round = 1; !stopping; round += 1) {
      let token = await house.grant();
      for (let n = 0; n < 3 && !stopping; n += 1) token = await house.refresh(token);
      if (round % 5 === 0) {
        await house.deactivate();
        await house.activate();
      }
      commands += 1;
      await sleep(5);
    }
  };
  const ended = work();
  return {
    commands: () => commands,
    stop: () => {
      stopping = true;
      return ended;
    },
  };
};

describeWithBroker('DA-06: a broker that is away', () => {
  let broker: KafkaBroker;
  let scene: RelayScene;
  let service: Deployment;
  beforeAll(async () => {
    broker = await startKafkaBroker();
    scene = await startRelayScene([broker.brokers]);
    service = await deploy(scene.ground, false);
  });
  afterAll(async () => {
    await service.stop();
    await scene.close();
    await broker.close();
  });

  const patience = { timeout: 60_000, interval: 200 };

  /** Commands go on throughout, and what they decided is found once the broker is back. */
  const through = async (name: string, outage: () => Promise<void>) => {
    const logger = quietLogger();
    const relay = scene.relay({ logger });
    onTestFinished(() => relay.stop());
    const load = await startLoad(service, name);
    await expect.poll(() => load.commands(), patience).toBeGreaterThan(3);
    await relay.caughtUp;
    const before = load.commands();
    await outage();
    const during = load.commands();
    await expect.poll(() => load.commands(), patience).toBeGreaterThan(during + 3);
    await load.stop();
    const { log } = await scene.compare();
    await expect.poll(async () => (await scene.compare()).found, patience).toEqual(log);
    expect(during).toBeGreaterThan(before + 3);
    return { logger, relay };
  };

  const dead = isSlow ? 30 : 2;
  test(`killed for ${dead} s under load: the commands go on, nothing is missing or out of order, and the log has two lines about it`, async () => {
    const { logger, relay } = await through('Dead', async () => {
      await broker.kill();
      await sleep(dead * 1000);
      await broker.start();
    });
    expect(logger.lines.map(({ level, message }) => `${level}: ${message}`)).toEqual([
      'info: leads',
      'warn: the relay cannot publish: it goes on trying, and nothing is lost',
      'info: the relay publishes again',
    ]);
    expect(relay.status()).toMatchObject({ role: 'leading', trouble: null });
  }, 120_000);
});
