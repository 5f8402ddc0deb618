import { expect, test } from 'vitest';
import { startEnsuringTopics } from '../../src/kafka/ensure-topics.ts';
import type { TopicReport } from '../../src/kafka/topics.ts';
import { watchedLogger } from '../support/trouble/watched-lines.ts';

const made: TopicReport = {
  name: 'host.profiles',
  state: 'made',
  partitions: 3,
  retentionMs: null,
  problems: [],
  notes: [],
};

test('whoever reads the topics learns when they were looked at first, and not before they are made', async () => {
  let finish = (_reports: readonly TopicReport[]) => {};
  const making = new Promise<readonly TopicReport[]>((resolve) => (finish = resolve));
  const topics = { ensure: () => making, inspect: () => making };
  const ensuring = startEnsuringTopics({ topics, logger: watchedLogger() });
  const order: string[] = [];
  const looked = ensuring.looked.then(() => order.push('looked'));
  await Promise.resolve();
  order.push('made');
  finish([made]);
  await looked;
  expect(order).toEqual(['made', 'looked']);
});

test('a broker that is away keeps nobody waiting for more than the first look', async () => {
  const away = () => Promise.reject(new Error('nobody there'));
  const lines: string[] = [];
  const logger = watchedLogger((line) => void lines.push(line), 'info');
  const ensuring = startEnsuringTopics({ topics: { ensure: away, inspect: away }, logger });
  await ensuring.looked;
  expect(lines).toHaveLength(1);
  ensuring.stop();
  await ensuring.ready;
});
