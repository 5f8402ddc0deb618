import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeEvent } from '../src/encode.ts';
import type { Stored } from '../src/record.ts';
import { streams } from '../src/stubs.ts';

const anyInt64 = fc.oneof(
  fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  fc.constantFrom(
    0n,
    127n,
    128n,
    16_383n,
    16_384n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 53n + 1n,
    2n ** 63n - 1n,
  ),
);
const anyEvent: fc.Arbitrary<Stored> = fc.record({
  id: fc.uuid(),
  type: fc.string({ unit: 'binary', minLength: 1 }),
  stream: fc.string({ unit: 'binary', minLength: 1, maxLength: 300 }),
  isJson: fc.boolean(),
  data: fc.uint8Array({ maxLength: 20_000 }),
  metadata: fc.uint8Array({ maxLength: 200 }),
  revision: anyInt64,
  position: anyInt64,
  created: anyInt64,
});

type ReadEvent = NonNullable<ReturnType<InstanceType<typeof streams.ReadResp>['getEvent']>>;
type Recorded = ReturnType<ReadEvent['getEvent']>;

/** What the generated classes read from the bytes, in the form of what was to be written. */
const decoded = (event: Recorded): Stored | null => {
  if (!event) return null;
  const metadata = event.getMetadataMap();
  return {
    id: event.getId()?.getString() ?? '',
    type: metadata.get('type') ?? '',
    isJson: metadata.get('content-type') === 'application/json',
    created: BigInt(metadata.get('created') ?? -1),
    stream: Buffer.from(event.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString('utf8'),
    data: event.getData_asU8(),
    metadata: event.getCustomMetadata_asU8(),
    revision: BigInt(event.getStreamRevision()),
    position: BigInt(event.getCommitPosition()),
  };
};

test('an event encoded by hand is what the generated classes read', () => {
  fc.assert(
    fc.property(fc.option(anyEvent), fc.option(anyEvent), (event, link) => {
      const read = streams.ReadResp.deserializeBinary(encodeEvent({ event, link }, false)).getEvent();
      expect(decoded(read?.getEvent())).toEqual(event);
      expect(decoded(read?.getLink())).toEqual(link);
      const position = (link ?? event)?.position;
      expect(read?.getCommitPosition()).toBe(String(position ?? 0));
    }),
  );
});
