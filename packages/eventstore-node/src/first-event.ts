import { randomUUID } from 'node:crypto';
import { expectAny } from './record.ts';
import type { Writer } from './writer.ts';

/** The log of a fresh server is never empty: this makes sure that consumers skip foreign events. */
export const writeFirstEvent = async (writer: Pick<Writer, 'submit'>): Promise<void> => {
  await writer.submit({
    kind: 'append',
    stream: '$$$stats-127.0.0.1:2113',
    expected: expectAny,
    events: [
      {
        id: randomUUID(),
        type: '$metadata',
        isJson: true,
        data: Buffer.from('{"$maxAge":86400}'),
        metadata: new Uint8Array(),
      },
    ],
  });
};
