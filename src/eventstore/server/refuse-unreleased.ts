import { connectEventStore } from '../client/esdb.ts';
import { commandTimeouts } from '../client/timeouts.ts';
import { UnreleasedLog } from '../event-store.ts';
import { silent } from '../logger.ts';

/** Before anything is made of the log. One that cannot be read now is asked again once it can. @throws UnreleasedLog */
export const refuseUnreleased = async (url: string): Promise<void> => {
  const log = connectEventStore({ url, logger: silent, timeouts: commandTimeouts });
  const found = await log.isUnreleased().catch(() => false);
  await log.close();
  if (found) throw new UnreleasedLog();
};
