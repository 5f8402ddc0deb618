import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { brokers, describeWithBroker } from '../../../support/kafka-broker/with-broker.ts';
import { newTopic } from '../../../support/kafka-broker/test-client.ts';
import { publishedTypes } from '../../../../src/kafka/contract/decisions.ts';
import { wholeStory } from '../../../projections/follow/a-story.ts';
import { eventsIn, startRelayScene } from './scene.ts';

const run = promisify(execFile);
const settings = ['-b', brokers().join(','), '-q'];

const hasKcat = (): boolean => {
  try {
    execFileSync('kcat', ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
const isThere = hasKcat();
if (!isThere && process.env['GRANTBOOK_KAFKA'] === 'required')
  throw new Error('kcat is missing: GRANTBOOK_KAFKA=required needs it (Debian: apt-get install kcat)');

type Line = {
  readonly topic: string;
  readonly partition: number;
  readonly key: string;
  readonly payload: string;
  /** Name, value, name, value, … */
  readonly headers: readonly string[];
};

const linesOf = async (topic: string): Promise<readonly Line[]> => {
  const { stdout } = await run('kcat', [...settings, '-C', '-t', topic, '-e', '-J'], { maxBuffer: 2 ** 26 });
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]));
};

const headersOf = ({ headers }: Line) =>
  Object.fromEntries(headers.flatMap((name, index) => (index % 2 === 0 ? [[name, headers[index + 1]]] : [])));

/** Sends one message a key with librdkafka's own idea of Java's partitioner. */
const produceKeys = async (topic: string, keys: readonly string[]): Promise<void> => {
  const args = [...settings, '-P', '-t', topic, '-K', '\t', '-X', 'partitioner=murmur2_random'];
  const child = spawn('kcat', args, { stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(keys.map((key) => `${key}\tx\n`).join(''));
  const [code] = (await once(child, 'exit')) as [number];
  expect(code).toBe(0);
};

describeWithBroker('kcat, a reader of another make', () => {
  test.skipIf(!isThere)(
    'DA-06: finds the messages as the contract says, under their keys, where the Java client would put them [needs kcat]',
    async () => {
      const scene = await startRelayScene(brokers());
      onTestFinished(() => scene.close());
      await scene.append(wholeStory());
      await scene.relay().caughtUp;
      const { activations, grants, addons } = scene.ground.topics.out;
      const lines = (await Promise.all([activations, grants, addons].map(linesOf))).flat();
      const events = await eventsIn(scene.store, publishedTypes);
      expect(lines).toHaveLength(events.length);

      for (const { id, stream, event } of events) {
        const line = lines.find((each) => headersOf(each)['ce_id'] === id);
        expect(line && headersOf(line)).toMatchObject({
          ce_specversion: '1.0',
          ce_source: 'https://grantbook.example',
          ce_subject: stream,
          ce_time: new Date(event.data.at).toISOString(),
          ce_partitionkey: line?.key,
          'content-type': 'application/json',
        });
      }
      const deactivated = events.find(({ event }) => event.type === 'AddonDeactivated');
      const line = lines.find((each) => headersOf(each)['ce_id'] === deactivated?.id);
      expect(line).toMatchObject({ topic: activations, key: 'O1.A1' });
      expect(headersOf(line as Line)['ce_type']).toBe('grantbook.activation.deactivated.v1');
      expect(JSON.parse(line?.payload ?? '')).toEqual({
        organization_id: 'O1',
        addon_id: 'A1',
        epoch: 1,
        at: new Date(deactivated?.event.data.at ?? 0).toISOString(),
      });

      const other = await newTopic({ partitions: 3 });
      const keys = [...new Set(lines.map(({ key }) => key))];
      expect(keys.length).toBeGreaterThan(3);
      await produceKeys(other, keys);
      const places = (some: readonly Line[]) =>
        Object.fromEntries(some.map(({ key, partition }) => [key, partition] as const));
      expect(places(lines)).toEqual(places(await linesOf(other)));
    },
  );
});
