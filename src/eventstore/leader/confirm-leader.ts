import { makeSharedCalls } from '../../common/shared-calls.ts';
import { withTimeout } from '../../common/with-timeout.ts';
import { describeError } from '../client/esdb-errors.ts';
import { type AppendProbe, type EventStore, EventStoreUnavailable, RightMissing } from '../event-store.ts';
import type { LeaderWatch } from './leader-watch.ts';
import type { ReadClients } from '../client/read-client.ts';
import type { Timeouts } from '../client/timeouts.ts';

type Dependencies = {
  /** Null for a single server. */
  readonly watch: Pick<LeaderWatch, 'confirm'> | null;
  readonly readers: Pick<ReadClients, 'replace'>;
  readonly probe: AppendProbe['probe'];
  readonly timeouts: Pick<Timeouts, 'unavailableMs'>;
};

/**
 * Most of the cluster have to name one leader, and the probe has to be written and read back: a node that leads no more
 * acknowledges no append, and its reads do not show what another one has acknowledged. An account that may not write the
 * probe has to do without the second part.
 */
export const makeConfirmLeader = ({
  watch,
  readers,
  probe,
  timeouts,
}: Dependencies): EventStore['confirmLeader'] => {
  const confirm = makeSharedCalls(async (by) => {
    await watch?.confirm();
    if (by === 'asking') return;
    try {
      await withTimeout(timeouts.unavailableMs, probe());
    } catch (cause) {
      if (cause instanceof RightMissing) return;
      readers.replace(); // the address may lead to another node by now
      throw new EventStoreUnavailable(`the leader is not confirmed: ${describeError(cause)}`, { cause });
    }
  });
  return (by) => confirm(by ?? '');
};
