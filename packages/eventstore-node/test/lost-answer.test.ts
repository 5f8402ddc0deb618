import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { makeCommits } from '../src/commits.ts';
import type { Request } from '../src/group.ts';
import { makeHeads, noHead } from '../src/heads.ts';
import type { Known, Log } from '../src/log.ts';
import { makeStamp } from '../src/stamp.ts';
import { OutcomeUnknown, startWriter } from '../src/writer.ts';
import type { WriterConnection } from '../src/writer-connection.ts';

const id = randomUUID();
const request: Request = {
  kind: 'append',
  stream: 'kept-1',
  expected: -1n,
  events: [{ id, type: 'Kept', isJson: true, data: Buffer.from('{}'), metadata: new Uint8Array() }],
};

/** A database that stores the group and then hangs up without a word; what it holds is seen by the next look. */
const forgetfulDatabase = () => {
  let isThere = false;
  let isLost = false;
  const log: Pick<Log, 'heads' | 'ranges'> = {
    heads: (names) => Promise.resolve(new Map(names.map((name) => [name, isThere ? stored : noHead]))),
    ranges: () => Promise.resolve([{ stream: 'kept-1', revision: 0n, id, position: 4211n } as Known]),
  };
  const connection: WriterConnection = {
    ready: () => Promise.resolve(isLost && !(isLost = false)),
    use: () => {
      isThere = true;
      return Promise.reject(new Error('Connection terminated unexpectedly'));
    },
    discard: () => void (isLost = true),
    close: () => Promise.resolve(),
  };
  return { log: log as Log, connection };
};

const stored = { ...noHead, last: 0n };

test('a subscriber looks again after a commit whose answer was lost, though its repeat writes nothing', async () => {
  const { log, connection } = forgetfulDatabase();
  const commits = makeCommits(0n);
  const writer = startWriter({
    connection,
    log,
    heads: makeHeads((names) => log.heads(names)),
    commits,
    stamp: makeStamp({ position: 0n, created: 0n }, 4211n),
    onError: () => undefined,
  });
  const watch = commits.watch(null);
  let looks = 0;
  void watch.next().then(() => (looks += 1));
  await expect(writer.submit(request)).rejects.toBeInstanceOf(OutcomeUnknown);
  expect(await writer.submit(request)).toMatchObject({ kind: 'written', revision: 0n });
  await new Promise(setImmediate);
  expect(looks).toBe(1);
  expect(commits.after(0n, 10)).toBeNull(); // so it looks into the database
  watch.close();
  await writer.close();
});
