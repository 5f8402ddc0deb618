import { type AppendProbe, type EventStore, RightMissing } from '../../eventstore/event-store.ts';
import { rights } from '../../eventstore/server/rights-of-account.ts';
import { lookForTrouble, refusalIn } from '../../eventstore/server/trouble.ts';
import type { Logger } from '../../projections/database/pipelined-reader.ts';

type Dependencies = {
  readonly store: Pick<EventStore, 'head'> & Pick<AppendProbe, 'missingRights'>;
  readonly url: string;
  readonly logger: Logger;
};

/** In milliseconds. */
const lookMs = 1_000;

/** Whether requests can use the event store, and otherwise why not, in words without addresses; logs each change. */
export const makeEventStoreAccess = ({ store, url, logger }: Dependencies) => {
  let said = 'ok';
  const say = (state: string): string => {
    if (state !== said && state === 'ok')
      logger.info({ server: 'event store' }, 'the server can be used again');
    if (state !== said && state !== 'ok')
      logger.error({ server: 'event store', trouble: state }, 'the server cannot be used');
    said = state;
    return state;
  };
  return {
    /** @throws RightMissing, EventStoreUnavailable */
    async tryIt(): Promise<void> {
      const untested: readonly [] = []; // the read of the log says why
      const [, missing] = await Promise.all([
        store.head(),
        store.missingRights(['append', 'read']).catch(() => untested),
      ]);
      if (missing[0]) throw new RightMissing(missing[0]);
      say('ok');
    },
    explain: async (error: unknown): Promise<string> => {
      if (error instanceof RightMissing) return say(`denies a right: ${rights[error.right].name}`);
      const trouble = refusalIn(url, error) ?? (await lookForTrouble(url, lookMs).catch(() => null));
      return say(
        trouble?.isFinal ? `unreachable: ${trouble.found.replace(/ \([^()]*\)$/, '')}` : 'unreachable',
      );
    },
  };
};
