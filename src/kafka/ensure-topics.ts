import type { Logger } from 'pino';
import { makeBackoff, pause } from '../common/backoff.ts';
import type { KafkaTopics, TopicReport } from './topics.ts';

export type EnsuringTopics = {
  /** Resolves when all topics exist; never rejects. */
  readonly ready: Promise<void>;
  /** Resolves after the first attempt, even if it failed; never rejects. */
  readonly looked: Promise<void>;
  stop(): void;
};

type Dependencies = { readonly topics: KafkaTopics; readonly logger: Pick<Logger, 'info' | 'warn'> };

/** Creates or checks the topics in the background until all exist: no broker delays the start. Logs each problem once. */
export const startEnsuringTopics = ({ topics, logger }: Dependencies): EnsuringTopics => {
  const stopping = new AbortController();
  const said = new Set<string>();
  const warnOnce = (topic: string | null, problem: string) => {
    if (said.has(`${topic} ${problem}`)) return;
    said.add(`${topic} ${problem}`);
    if (topic === null) logger.warn({ problem }, 'kafka: cannot check the topics; retrying');
    else logger.warn({ topic, problem }, 'kafka: topics have problems');
  };
  const tell = (reports: readonly TopicReport[]) => {
    for (const { name, state, problems } of reports) {
      if (state === 'made') logger.info({ topic: name }, 'kafka: made a topic');
      for (const problem of problems) warnOnce(name, problem);
    }
  };
  let firstLook = () => {};
  const looked = new Promise<void>((resolve) => (firstLook = resolve));
  const run = async () => {
    const backoff = makeBackoff(500, 30_000);
    while (!stopping.signal.aborted) {
      try {
        const reports = await topics.ensure();
        tell(reports);
        if (reports.every(({ state }) => state !== 'missing')) return;
      } catch (error) {
        warnOnce(null, error instanceof Error ? error.message : 'failure');
      } finally {
        firstLook();
      }
      await pause(backoff.next(), stopping.signal);
    }
  };
  return { ready: run(), looked, stop: () => stopping.abort() };
};
