import { randomUUID } from 'node:crypto';
import { connectEventStore } from '../../../src/eventstore/client/esdb.ts';
import { accountStream } from '../../../src/domain/streams.ts';
import { silent } from '../../../src/eventstore/logger.ts';

// Appends once, with the clock set off by so many milliseconds, closes, and has to end by itself.
const [, , url = '', offBy = '0'] = process.argv;
const trueNow = Date.now;
Date.now = () => trueNow() + Number(offBy);

const store = connectEventStore({ url, logger: silent });
const stream = accountStream(randomUUID().replaceAll('-', ''));
const { ok } = await store.append(stream, 'no-stream', [
  { event: { type: 'AccountDisabled', data: { epoch: 1, at: 1 } } },
]);
process.stdout.write(ok ? 'written\n' : 'not written\n');
await store.close();
