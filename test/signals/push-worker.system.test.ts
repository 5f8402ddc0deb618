import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { inPoolTransaction } from '../../src/common/transaction.ts';
import { makeEndpointGuard } from '../../src/signals/endpoint/endpoint-guard.ts';
import { openGuardedConnections } from '../../src/signals/push/guarded-connections.ts';
import { pushSet } from '../../src/signals/push/push-set.ts';
import { startListening } from '../../src/projections/database/listener.ts';
import {
  startPushing,
  type PushWorkerDependencies,
  type SetDelivery,
} from '../../src/signals/push/push-worker.ts';
import { makeReadSets } from '../../src/signals/read-sets.ts';
import type { Queue, SetDraft } from '../../src/signals/set-draft.ts';
import { queueSets, notifyStream } from '../../src/signals/set-queue.ts';
import { keepStream, noteRevision, type StreamRow } from '../../src/signals/stream-table.ts';
import { patience } from '../support/patience.ts';
import { eventually } from '../support/eventually.ts';
import { serverOf, urlThrough } from '../support/servers/databases.ts';
import { quietLogger } from '../support/quiet-logger.ts';
import { testReadModels } from '../support/log/read-models.ts';
import { serve } from '../support/servers/serve.ts';
import { startTcpProxy } from '../support/servers/tcp-proxy.ts';
import { pollStream } from '../support/scenes/told-addons.ts';
import { allowTrouble, expectTrouble } from '../support/trouble/expect-trouble.ts';

const told = 'https://example.com/signals/told';
const hour = 3_600_000;

let made = 0;
const side = await testReadModels();
beforeEach(async () => {
  await side.pool.query('delete from signal_sets');
  await side.pool.query('delete from signal_streams');
});
afterAll(() => side.close());

/** What a receiver got, one entry for each push: the SET's text, which here is its jti. */
type Receiver = {
  readonly url: string;
  readonly got: string[];
  readonly headers: IncomingMessage['headers'][];
  answer: (answer: ServerResponse, jti: string) => void;
};

const take = (answer: ServerResponse) => void answer.writeHead(202).end();
const fail = (answer: ServerResponse) => void answer.writeHead(503).end();

const receiver = async (answer: Receiver['answer'] = take): Promise<Receiver> => {
  const got: string[] = [];
  const headers: IncomingMessage['headers'][] = [];
  const origin = await serve((request, response) => {
    void text(request).then((body) => {
      got.push(body);
      headers.push(request.headers);
      one.answer(response, body);
    });
  });
  const one: Receiver = { url: `${origin}/events`, got, headers, answer };
  return one;
};

const streamTo = async (
  { url }: { readonly url: string },
  more: Partial<StreamRow> = {},
): Promise<StreamRow> => {
  made += 1;
  const row: StreamRow = {
    ...pollStream(`A${made}`, `S${made}`),
    method: 'push',
    endpointUrl: url,
    eventsRequested: [told],
    ...more,
  };
  await keep(row);
  return row;
};

/** As the worker that reads the log does it, with its notification. */
const keep = (row: StreamRow, revision = 0n) =>
  inPoolTransaction(side.pool, async (tx) => {
    await keepStream(tx, row);
    await noteRevision(tx, row.streamId, revision);
    await tx.query(notifyStream.text, [row.streamId]);
  });

const queue = (of: StreamRow, jtis: readonly string[], name: Queue = 'organization:O1') =>
  inPoolTransaction(side.pool, (tx) =>
    queueSets(
      tx,
      jtis.map((jti): SetDraft => {
        made += 1;
        return {
          addonId: of.addonId,
          queue: name,
          type: told,
          jti: `${of.streamId}.${jti}`,
          txn: 'T',
          subId: { format: 'opaque', id: 'O1' },
          payload: {},
          at: 1_000,
          position: { commit: BigInt(made), prepare: BigInt(made) },
          part: 0,
        };
      }),
    ),
  );

const standingOf = async ({ streamId }: StreamRow) => {
  const [standing] = await makeReadSets((statement, values) =>
    side.reader.query(statement, values),
  ).standings([streamId]);
  return standing;
};

const guard = makeEndpointGuard({
  isProduction: false,
  resolve: (host) => Promise.resolve([host]),
  ownUrls: ['http://localhost:1'],
  ownPorts: [],
});

/** A term that was lost because this process stood still would be followed by repeated pushes. */
const bounds = { heartbeatMs: 500, silenceMs: patience, pollMs: 50, statementMs: patience };

type Given = Partial<Omit<PushWorkerDependencies, 'delivery' | 'listener'>> & {
  readonly delivery?: Partial<SetDelivery>;
};

const start = ({ delivery, ...more }: Given = {}) => {
  const connections = openGuardedConnections({ guard });
  const paused: { readonly streamId: string; readonly reason: string }[] = [];
  const databaseUrl = more.databaseUrl ?? side.database.url;
  const listener = startListening({ databaseUrl, logger: quietLogger() });
  const worker = startPushing({
    databaseUrl,
    listener,
    logger: quietLogger(),
    now: () => Date.now(),
    delivery: {
      push: (push, stopping) => pushSet(connections, push, stopping, 2 * patience),
      sign: (_addonId, { jti }) => Promise.resolve(jti),
      isCurrent: () => Promise.resolve(true),
      decrypt: (_streamId, stored) => (stored as { readonly secret: string }).secret,
      ...delivery,
    },
    pause: ({ streamId }, reason) => Promise.resolve(paused.push({ streamId, reason })),
    random: () => 0.5,
    bounds,
    ...more,
  });
  const stop = async () => {
    await worker.stop();
    await listener.close();
    await connections.destroy();
  };
  onTestFinished(stop);
  return { worker, stop, paused };
};

/** A clock that only the test moves, and then wakes the worker. */
const makeClock = () => {
  let time = Date.parse('2030-01-01T00:00:00Z');
  return {
    now: () => time,
    async forward(ms: number, of: StreamRow) {
      time += ms;
      await side.pool.query(notifyStream.text, [of.streamId]);
    },
  };
};

const named = (of: StreamRow, ...jtis: readonly string[]) => jtis.map((jti) => `${of.streamId}.${jti}`);

describe('SG-08: what is offered is pushed', () => {
  test('SG-06: in order, and the next one of a queue after the 202 of the one before', async () => {
    const to = await receiver();
    const waiting: ServerResponse[] = [];
    to.answer = (answer) => void waiting.push(answer);
    const of = await streamTo(to);
    await queue(of, ['1', '2', '3']);
    start();
    for (const n of [1, 2, 3]) {
      await eventually(() => expect(waiting).toHaveLength(n));
      expect(to.got).toEqual(named(of, '1', '2', '3').slice(0, n));
      take(waiting[n - 1] as ServerResponse);
    }
    await queue(of, ['4']); // its notification wakes the worker
    await eventually(() => expect(waiting).toHaveLength(4));
    take(waiting[3] as ServerResponse);
    await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 4, waiting: 0 }));
    expect(to.got).toEqual(named(of, '1', '2', '3', '4'));
  });

  test('with the header of the receiver; without its key nothing is sent, and that is said', async () => {
    const [to, without] = [await receiver(), await receiver()];
    const of = await streamTo(to, { authorizationHeader: { secret: 'Bearer receivers-secret' } });
    const lost = await streamTo(without, { authorizationHeader: { secret: null } });
    await queue(of, ['1']);
    await queue(lost, ['1']);
    const { worker } = start();
    await eventually(() =>
      expect(to.headers.map(({ authorization }) => authorization)).toEqual(['Bearer receivers-secret']),
    );
    await eventually(async () =>
      expect((await standingOf(lost))?.lastError).toMatch(
        /^not delivered: authorization_header cannot be decrypted/,
      ),
    );
    expect(without.got).toEqual([]);
    expect(worker.failures()).toBe(1);
  });

  test('a SET whose stream has changed in the log waits, and is no failure of its receiver', async () => {
    const to = await receiver();
    const of = await streamTo(to);
    await queue(of, ['1', '2']);
    let asked = 0;
    let isCurrent = false;
    const { worker } = start({
      limits: { againMs: { 'not-signed': 1, 'not-current': 1 } },
      delivery: {
        isCurrent: ({ addonId, revision }) => {
          asked += 1;
          expect([addonId, revision]).toEqual([of.addonId, 0n]);
          return Promise.resolve(isCurrent);
        },
      },
    });
    await eventually(() => expect(asked).toBeGreaterThan(2));
    expect([to.got, await standingOf(of)]).toMatchObject([[], { waiting: 2, failingSince: null }]);
    isCurrent = true;
    await eventually(() => expect(to.got).toEqual(named(of, '1', '2')));
    expect(worker.failures()).toBe(0);
  });

  test('a SET that cannot be signed waits, and is no failure of its receiver', async () => {
    expectTrouble(/a SET cannot be signed .*the log is away/);
    const to = await receiver();
    const of = await streamTo(to);
    await queue(of, ['1', '2']);
    let tried = 0;
    let isLogAway = true;
    const { worker } = start({
      limits: { againMs: { 'not-signed': 1, 'not-current': 1 } },
      delivery: {
        sign: (_addonId, { jti }) => {
          tried += 1;
          return isLogAway ? Promise.reject(new Error('the log is away')) : Promise.resolve(jti);
        },
      },
    });
    await eventually(() => expect(tried).toBeGreaterThan(2));
    expect(await standingOf(of)).toMatchObject({ waiting: 2, failingSince: null, lastError: null });
    isLogAway = false;
    await eventually(() => expect(to.got).toEqual(named(of, '1', '2')));
    expect(worker.failures()).toBe(0);
  });

  test('only on enabled streams; a stream that is resumed goes on where it was', async () => {
    const to = await receiver();
    const [paused, disabled] = [await streamTo(to), await streamTo(to)];
    const poll = await streamTo(to, { method: 'poll', endpointUrl: null });
    for (const of of [paused, disabled, poll]) await queue(of, ['1', '2']);
    await keep({ ...paused, status: 'paused' });
    await keep({ ...disabled, status: 'disabled' });
    const { worker } = start();
    await worker.caughtUp;
    const witness = await streamTo(to);
    await queue(witness, ['1']);
    await eventually(() => expect(to.got).toEqual(named(witness, '1')));
    await keep(paused);
    await eventually(() => expect(to.got).toEqual([...named(witness, '1'), ...named(paused, '1', '2')]));
  });
});

describe('SG-08: a push that fails is repeated', () => {
  test('after 1, 2, 4, 8 seconds, and what is wrong is kept until it works', async () => {
    const clock = makeClock();
    const to = await receiver(fail);
    const of = await streamTo(to);
    await queue(of, ['1', '2']);
    const { worker } = start({ now: clock.now });
    const since = clock.now();
    for (const [failures, wait] of [1_000, 2_000, 4_000, 8_000].entries()) {
      await eventually(() => expect(worker.failures()).toBe(failures + 1));
      await clock.forward(wait - 1, of);
      await clock.forward(0, of);
      expect(to.got).toHaveLength(failures + 1);
      expect(await standingOf(of)).toMatchObject({
        failingSince: since,
        lastError: 'answered 503 instead of 202',
      });
      if (failures === 3) to.answer = take;
      await clock.forward(1, of);
    }
    await eventually(async () =>
      expect(await standingOf(of)).toMatchObject({ delivered: 2, waiting: 0, failingSince: null }),
    );
    expect(to.got).toEqual([...named(of, '1', '1', '1', '1', '1'), ...named(of, '2')]);
  });

  test('at once when the receiver is back after an outage, also what would be due much later', async () => {
    const clock = makeClock();
    const to = await receiver(fail);
    const of = await streamTo(to);
    await queue(of, ['early'], 'user:U1');
    const { worker } = start({ now: clock.now });
    for (const [failures, wait] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      await eventually(() => expect(worker.failures()).toBe(failures + 1));
      await clock.forward(wait, of);
    }
    await eventually(() => expect(worker.failures()).toBe(6)); // and is due in 32 seconds
    to.answer = take;
    await queue(of, ['late']);
    await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 2, waiting: 0 }));
    expect(to.got.slice(6)).toEqual(named(of, 'late', 'early'));
  });

  test('at its own times when it alone is refused, though the receiver takes others in between', async () => {
    const clock = makeClock();
    const to = await receiver((answer, jti) => (jti.endsWith('.refused') ? fail : take)(answer));
    const of = await streamTo(to);
    await queue(of, ['refused'], 'user:U1');
    const { worker } = start({ now: clock.now });
    for (const [failures, wait] of [1_000, 2_000, 4_000, 8_000, 16_000].entries()) {
      await eventually(() => expect(worker.failures()).toBe(failures + 1));
      if (failures === 0) await queue(of, ['first']);
      await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 1 }));
      await clock.forward(wait, of);
    }
    await eventually(() => expect(worker.failures()).toBe(6)); // and is due in 32 seconds
    for (const jti of ['second', 'third']) {
      await clock.forward(15_000, of);
      await queue(of, [jti]);
      await eventually(() => expect(to.got).toContain(named(of, jti)[0]));
    }
    await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 3 }));
    await clock.forward(1_999, of);
    await queue(of, ['last']);
    await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 4 }));
    expect(worker.failures()).toBe(6);
    await clock.forward(1, of);
    await eventually(() => expect(worker.failures()).toBe(7));
  });

  test('at once after a restart', async () => {
    const clock = makeClock();
    const to = await receiver(fail);
    const of = await streamTo(to);
    await queue(of, ['1']);
    const first = start({ now: clock.now });
    await eventually(() => expect(first.worker.failures()).toBe(1));
    await first.stop();
    to.answer = take;
    start({ now: clock.now }); // no time has passed
    await eventually(() => expect(to.got).toEqual(named(of, '1', '1')));
  });

  test('for 72 hours; then the stream is paused, with the reason, and a resumed stream has its time again', async () => {
    const clock = makeClock();
    const to = await receiver((answer) =>
      answer.writeHead(400).end(JSON.stringify({ err: 'invalid_key', description: 'unknown key' })),
    );
    const of = await streamTo(to);
    await queue(of, ['1', '2']);
    const { worker, paused } = start({ now: clock.now });
    const failed = (times: number) => eventually(() => expect(worker.failures()).toBe(times));
    await failed(1);
    await clock.forward(72 * hour - 1, of);
    await failed(2);
    expect(paused).toEqual([]);
    await clock.forward(hour, of);
    await failed(3);
    await eventually(() => expect(paused).toHaveLength(1));
    expect(paused).toEqual([
      {
        streamId: of.streamId,
        reason:
          'Pushes have failed since 2030-01-01T00:00:00.000Z; the last one: the receiver answered 400 instead of 202: invalid_key: unknown key',
      },
    ]);
    await keep({ ...of, status: 'paused' });
    await clock.forward(100 * hour, of);
    await keep(of);
    await failed(4);
    await clock.forward(71 * hour, of);
    await failed(5);
    expect(paused).toHaveLength(1);
    to.answer = take;
    await clock.forward(hour, of);
    await eventually(() => expect(to.got.slice(5)).toEqual(named(of, '1', '2')));
    expect(to.got.slice(0, 5)).toEqual(named(of, '1', '1', '1', '1', '1'));
  });

  test('at once where the stream has changed since it was begun: such a failure is not counted', async () => {
    const clock = makeClock();
    const unanswered: ServerResponse[] = [];
    const to = await receiver((answer) => void unanswered.push(answer));
    const of = await streamTo(to);
    await queue(of, ['1']);
    const { worker, paused } = start({ now: clock.now });
    await eventually(() => expect(unanswered).toHaveLength(1));
    await side.pool.query(`update signal_sets set attempts = 1, failing_since = $1`, [new Date(0)]);
    await keep(of, 1n);
    fail(unanswered[0] as ServerResponse);
    await eventually(() => expect(unanswered).toHaveLength(2)); // no time has passed
    expect(await standingOf(of)).toMatchObject({ failingSince: null, lastError: null });
    expect(paused).toEqual([]);
    fail(unanswered[1] as ServerResponse);
    await eventually(async () =>
      expect(await standingOf(of)).toMatchObject({ failingSince: clock.now(), waiting: 1 }),
    );
    expect(worker.failures()).toBe(2);
  });

  test('a SET that its receiver refuses does not hold up what is of others, and is repeated alone', async () => {
    const clock = makeClock();
    const to = await receiver((answer, jti) => (jti.endsWith('.bad') ? fail : take)(answer));
    const of = await streamTo(to);
    await queue(of, ['bad', 'after'], 'user:U1');
    await queue(of, ['1', '2', '3']);
    start({ now: clock.now });
    await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 3, waiting: 2 }));
    expect(to.got.filter((jti) => !jti.endsWith('.bad'))).toEqual(named(of, '1', '2', '3'));
    expect(to.got).not.toContain(`${of.streamId}.after`);
  });
});

describe('SG-08: one slow receiver delays no other', () => {
  test('while it does not answer, another gets everything, and it gets no more than its share', async () => {
    const slow = await receiver(() => undefined);
    const quick = await receiver();
    const [ofSlow, ofQuick] = [await streamTo(slow), await streamTo(quick)];
    for (let n = 0; n < 10; n += 1) await queue(ofSlow, ['1'], `organization:O${n}`);
    const jtis = Array.from({ length: 30 }, (_, n) => String(n));
    await queue(ofQuick, jtis);
    start({ limits: { atOnce: 5, failingAtOnce: 2, ofOneStream: 4 } });
    await eventually(() => expect(quick.got).toEqual(named(ofQuick, ...jtis)));
    expect(slow.got.length).toBeLessThanOrEqual(4);
  });

  test('nor do receivers that have failed before, right after a restart', async () => {
    const failing = await receiver(fail);
    const quick = await receiver();
    for (const n of [1, 2]) await queue(await streamTo(failing), [`${n}`]);
    const ofQuick = await streamTo(quick);
    const first = start();
    await eventually(() => expect(first.worker.failures()).toBeGreaterThanOrEqual(2));
    await first.stop();
    failing.answer = () => undefined;
    await queue(ofQuick, ['1']);
    start({ limits: { atOnce: 2, failingAtOnce: 1, ofOneStream: 1 } });
    await eventually(() => expect(quick.got).toEqual(named(ofQuick, '1')));
  });
});

describe('SG-11: a push is repeated with the same jti', () => {
  test('when the instance ends between the 202 and its note, and nothing comes before it', async () => {
    const to = await receiver();
    const of = await streamTo(to);
    await queue(of, ['1', '2']);
    let reached = false;
    const first = start({
      at: (point) => {
        if (point !== 'pushed') return;
        reached = true;
        return new Promise(() => {}); // as if the process had ended here
      },
    });
    await eventually(() => expect(reached).toBe(true));
    await first.stop();
    start();
    await eventually(() => expect(to.got).toEqual(named(of, '1', '1', '2')));
  });

  test('when the connection that leads or the one that listens is lost, it goes on after that', async () => {
    expectTrouble(/the connection that listens for notifications was lost/);
    const to = await receiver();
    const of = await streamTo(to);
    const { worker } = start();
    await worker.caughtUp;
    for (const [n, lost] of [
      "application_name like 'grantbook signal-push%'",
      "application_name = 'grantbook notifications'",
    ].entries()) {
      await eventually(async () => {
        const { rowCount } = await side.pool.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and pid <> pg_backend_pid() and ${lost}`,
        );
        expect(rowCount).toBeGreaterThan(0);
      });
      await queue(of, [`${2 * n + 1}`, `${2 * n + 2}`]);
      await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 2 * n + 2 }));
    }
    expect(to.got).toEqual(named(of, '1', '2', '3', '4'));
  });

  test('a leader whose network is cut finds out by itself, and stands by', async () => {
    allowTrouble(/the connection that listens for notifications was lost|cannot listen for notifications/);
    const to = await receiver();
    const of = await streamTo(to);
    const wire = await startTcpProxy(serverOf(side.database.url));
    onTestFinished(() => wire.close());
    const quick = { heartbeatMs: 100, silenceMs: 1_000, pollMs: 20, statementMs: 1_000 };
    const cutOff = start({ databaseUrl: urlThrough(wire, side.database.url), bounds: quick });
    await cutOff.worker.caughtUp;
    const other = start();
    wire.freeze();
    await queue(of, ['1']);
    await eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: 1 })); // else it is repeated
    await eventually(() => expect(cutOff.worker.status().role).toBe('standby'));
    wire.cut();
    await other.stop();
    await queue(of, ['2']);
    await eventually(() => expect(to.got).toEqual(named(of, '1', '2')));
  });

  test('nothing is begun by a leader that does not know whether it still leads', async () => {
    allowTrouble(/the connection that listens for notifications was lost/); // by the frozen wire
    const to = await receiver();
    const of = await streamTo(to);
    const wire = await startTcpProxy(serverOf(side.database.url));
    onTestFinished(() => wire.close());
    let [signed, release] = [0, () => {}];
    const stopped = start({
      databaseUrl: urlThrough(wire, side.database.url),
      bounds: { heartbeatMs: 60_000, silenceMs: 2_000, pollMs: 20 }, // as if its process stood still
      at: (point) => {
        if (point !== 'signed' || ++signed !== 2) return;
        wire.freeze();
        return new Promise((resolve) => (release = resolve));
      },
    });
    await stopped.worker.caughtUp;
    await queue(of, ['1', '2', '3']);
    await eventually(() => expect(signed).toBe(2)); // over a connection that stays open
    start({ bounds: { pollMs: 20 } });
    const delivered = (n: number) =>
      eventually(async () => expect(await standingOf(of)).toMatchObject({ delivered: n }));
    await delivered(3);
    expect(stopped.worker.status().role).toBe('leading');
    release();
    for (const n of [4, 5, 6]) {
      await queue(of, [`${n}`]);
      await delivered(n);
    }
    wire.thaw();
    await eventually(() => expect(stopped.worker.status().role).toBe('standby'));
    expect(to.got).toEqual(named(of, '1', '2', '3', '4', '5', '6'));
  });
});
