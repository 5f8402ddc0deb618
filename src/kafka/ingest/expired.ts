import type { Logger } from 'pino';
import type { Commands } from '../../commands/commands.ts';
import { missingOf, type ExpiredRange } from '../../domain/records/expired-messages.ts';
import { recordResources } from '../../domain/records/record-resources.ts';
import type { ExpiredGap } from '../kafka-client.ts';
import type { TopicNames } from '../topics.ts';

export type ExpiryCommands = Pick<Commands, 'noteExpired' | 'expiredMessages'>;

type Dependencies = {
  readonly topics: Pick<TopicNames, 'in'>;
  readonly commands: ExpiryCommands;
  readonly logger: Pick<Logger, 'error'>;
  readonly now: () => number;
};

/** How long what was read of the log counts as current. In milliseconds. */
const freshMs = 1_000;

/** Messages that expired unread: the log has them, so that a restart forgets none, and other instances and commands know. */
export const makeExpired = ({ topics, commands, logger, now }: Dependencies) => {
  let missing: readonly ExpiredRange[] = [];
  let readAt = -Infinity;
  const read = async (): Promise<void> => {
    readAt = now();
    missing = missingOf(await commands.expiredMessages());
  };
  const readLater = () => void read().catch(() => (readAt = -Infinity));
  readLater();
  return {
    /** Rejects unless the log has it. */
    note: async ({ topic, partition, from, until }: ExpiredGap): Promise<void> => {
      const resource = recordResources.find(({ key }) => topics.in[key] === topic);
      if (!resource) throw new Error(`the topic ${topic} was never asked for`);
      const places = { topic, partition, from: from === null ? null : String(from), until: String(until) };
      logger.error(
        places,
        'kafka: messages expired before they were read: import a snapshot, then confirm it (grantbook expired-messages)',
      );
      await commands.noteExpired({ records: resource.path, topic, partition, from, until });
      await read();
    },
    /** As last read; whoever asks again later sees what other instances have found, and what was confirmed. */
    missing: (): readonly ExpiredRange[] => {
      if (now() - readAt >= freshMs) readLater();
      return missing;
    },
  };
};
