import { binaryEvent, UnknownError } from '@eventstore/db-client';
import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { embedded, newStream } from './contract/contract.ts';
import { attempt, paths, refusal } from './contract/steps.ts';

const server = embedded({ maxAppendSize: 1_000, maxAppendEventSize: 500 });
const type = 'Happened';
/** An event that counts this many bytes: its data, and its type in UTF-16. */
const sized = (size: number) => binaryEvent({ type, data: new Uint8Array(size - 2 * type.length) });

test('one event may be as large as allowed, and not a byte larger', async () => {
  expect(await attempt(server.client, newStream(), [sized(500)])).toBe('written 0');
  const batch = await refusal(server.client.appendToStream(newStream(), [sized(501)]));
  expect(batch).toBeInstanceOf(UnknownError); // the client does not know this error
  const classic = await refusal(server.client.appendToStream(newStream(), [sized(501)], paths.classic));
  expect(classic).toMatchObject({ code: status.INVALID_ARGUMENT });
});

test('the maximum of an append is the one that is set', async () => {
  expect(await attempt(server.client, newStream(), [sized(500), sized(500)])).toBe('written 1');
  const larger = [sized(500), sized(480), sized(21)];
  const error = await refusal(server.client.appendToStream(newStream(), larger));
  expect(error).toMatchObject({ type: 'maximum-append-size-exceeded', maxAppendSize: 1_000 });
});
