import { connectFrom } from '../../src/cli/base/connect.ts';
import type { StreamName } from '../../src/domain/streams.ts';
import { parseTraceparent } from '../../src/observability/tracing/traceparent.ts';
import type { LiveService } from './live-service.ts';

/** The events of a stream of the running service, each as its type and the id of its trace. */
export const tracesOf = async (
  { env }: Pick<LiveService, 'env'>,
  stream: StreamName,
): Promise<readonly (readonly [type: string, traceId: string | undefined])[]> => {
  const beside = await connectFrom({ env, stderr: process.stderr }).openService('nobody');
  try {
    const { events } = await beside.store.read(stream);
    return events.map(({ event, metadata }) => [event.type, parseTraceparent(metadata.traceparent)?.traceId]);
  } finally {
    await beside.close();
  }
};
