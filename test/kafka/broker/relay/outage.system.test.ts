import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { patience } from '../../../support/patience.ts';
import { describeWithOwnBroker } from '../../../support/kafka-broker/with-broker.ts';
import { freePort } from '../../../support/servers/free-port.ts';
import { type KafkaBroker, startKafkaBroker } from '../../../support/kafka-broker/start-broker.ts';
import { startTcpProxy } from '../../../support/servers/tcp-proxy.ts';

import type { RunningRelay } from '../../../../src/reactions/relay.ts';
import { addon, wholeStory } from '../../../projections/follow/a-story.ts';
import { quietLogger } from '../../../support/quiet-logger.ts';
import { type Deployment, deploy, settleIn } from './deployment.ts';
import { type RelayScene, startRelayScene } from './scene.ts';
import { isRelease } from '../../../support/tiers.ts';
import { allowTrouble } from '../../../support/trouble/expect-trouble.ts';
import { brokerAway } from '../../../support/trouble/server-killed.ts';

allowTrouble(...brokerAway);

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

describeWithOwnBroker('DA-06: a broker that is away', () => {
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

  const waiting = { timeout: patience, interval: 200 };

  /** Commands go on throughout, and what they decided is found once the broker is back. */
  const through = async (name: string, outage: () => Promise<void>) => {
    const logger = quietLogger();
    const relay = scene.relay({ logger });
    onTestFinished(() => relay.stop());
    const load = await startLoad(service, name);
    await expect.poll(() => load.commands(), waiting).toBeGreaterThan(3);
    await relay.caughtUp;
    const before = load.commands();
    await outage();
    const during = load.commands();
    await expect.poll(() => load.commands(), waiting).toBeGreaterThan(during + 3);
    await load.stop();
    await vi.waitFor(async () => {
      const { log, found } = await scene.compare(); // the log again, too: a reaction may still add to it
      expect(found).toEqual(log);
    }, waiting);
    expect(during).toBeGreaterThan(before + 3);
    return { logger, relay };
  };

  test('killed under load: the commands go on, nothing is missing or out of order, and the log says when it begins and when it is over', async () => {
    const { logger, relay } = await through('Dead', async () => {
      await broker.kill();
      await sleep(isRelease ? 30_000 : 10_000);
      await broker.start();
    });
    // A broker that is only just back may fail again: a beginning and an end each time, however many attempts it took.
    const own = logger.lines
      .map(({ message }) => message)
      .filter((message) => message.startsWith('the relay'));
    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(
      own.map((_, n) =>
        n % 2 === 0 ? 'the relay cannot publish; retrying, nothing is lost' : 'the relay has recovered',
      ),
    );
    expect(relay.status()).toMatchObject({ role: 'leading', trouble: null });
  });

  test('frozen, so that connections stay open and nothing is answered: nothing is missing after it', async () => {
    const { relay } = await through('Frozen', async () => {
      broker.freeze();
      await sleep(6_000); // longer than a request waits here
      broker.thaw();
    });
    expect(relay.status()).toMatchObject({ role: 'leading', trouble: null });
  });
});

describeWithOwnBroker('DA-06: a broker behind a bad wire', () => {
  test('slow, and cut again and again: a reader that keeps each id once finds the log', async () => {
    const port = await freePort();
    const wire = await startTcpProxy(port);
    onTestFinished(() => wire.close());
    const broker = await startKafkaBroker({
      port,
      properties: { 'advertised.listeners': `CLIENTS://127.0.0.1:${wire.port}` },
    });
    onTestFinished(() => broker.close());
    const scene = await startRelayScene([`127.0.0.1:${wire.port}`]);
    onTestFinished(() => scene.close());
    const relay = scene.relay({ batchSize: 10 });
    const directions = ['requests', 'answers', 'all'] as const;
    let done = false;
    let cuts = 0;
    const weather = (async () => {
      for (let n = 0; !done; n += 1) {
        wire.freeze(directions[n % 3]);
        await sleep(150);
        if (n % 5 === 4) {
          cuts += 1;
          wire.cut();
        } else wire.thaw();
        await sleep(100);
      }
    })();
    await scene.append(wholeStory());
    await relay.caughtUp;
    let more = 0;
    while (cuts < 4) {
      await scene.append([addon(`B${(more += 1)}`)]);
      await sleep(10);
    }
    await expect.poll(() => published(relay)).toBeGreaterThan(more);
    done = true;
    await weather;
    wire.thaw();
    await expect
      .poll(
        async () => {
          const { log, found } = await scene.compare();
          return isDeepStrictEqual(found, log);
        },
        { interval: 500 },
      )
      .toBe(true);
  });
});

const published = (relay: RunningRelay): number =>
  relay.status().published.reduce((sum, { messages }) => sum + messages, 0);
