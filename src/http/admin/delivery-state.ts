import type { SignalStream } from '../../domain/signals/signal-stream.ts';
import type { QueueStanding } from '../../signals/read-sets.ts';
import type { AdminDependencies } from './dependencies.ts';

/** How an add-on is notified of changes of its access for one organization (SG-12). */
export type ToldTo = Pick<SignalStream, 'method' | 'status'> &
  QueueStanding & {
    /** Of a paused stream: the last push did not work, whoever it was about. */
    readonly pushesFailed: boolean;
  };

/** Null for an add-on without a stream. Nothing of it is about other organizations. */
export const toldTo = async (
  { commands, signalStreams }: Pick<AdminDependencies, 'commands' | 'signalStreams'>,
  { organizationId, addonId }: { readonly organizationId: string; readonly addonId: string },
): Promise<ToldTo | null> => {
  const stream = await commands.findSignalStream(addonId);
  if (!stream) return null;
  const { streamId, method, status } = stream;
  const [ofQueue, [standing]] = await Promise.all([
    signalStreams.standingFor(streamId, organizationId),
    status === 'paused' ? signalStreams.standings([streamId]) : [],
  ]);
  const pushesFailed = standing !== undefined && standing.failingSince !== null;
  return { method, status, pushesFailed, ...ofQueue };
};
