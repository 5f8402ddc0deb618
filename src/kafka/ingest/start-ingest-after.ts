import type { IngestStatus } from '../status.ts';
import type { Ingest } from './ingest.ts';

/** Starts the ingest once `first` has resolved, unless stopped before; until then the status is joining. */
export const startIngestAfter = (first: Promise<void>, group: string, start: () => Ingest): Ingest => {
  const joining = joiningSince(group, Date.now());
  let ingest: Ingest | null = null;
  let stopped = false;
  void first.then(() => {
    if (!stopped) ingest = start();
  });
  return {
    status: () => ingest?.status() ?? joining,
    async stop() {
      stopped = true;
      await ingest?.stop();
    },
  };
};

const joiningSince = (group: string, since: number): IngestStatus => ({
  messages: [],
  retries: 0,
  expired: [],
  members: [{ group, consumption: { state: 'joining', since, trouble: null, partitions: [] } }],
});
