import fc from 'fast-check';
import { afterAll, afterEach, expect, test } from 'vitest';
import { activationSubject, grantSubject, type FenceRow } from '../../../src/domain/fence/fence.ts';
import { makeFence } from '../../../src/projections/fence/fence.ts';
import {
  makePipelinedReader,
  type PipelinedReader,
} from '../../../src/projections/database/pipelined-reader.ts';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels } from '../../support/log/read-models.ts';

const side = await testReadModels();
const { pool, reader, fence } = side;
afterEach(() => pool.query('delete from fence'));
afterAll(() => side.close());

const grant = (revision: bigint, open: boolean): FenceRow => ({
  subject: grantSubject('G1'),
  revision,
  epoch: 0,
  open,
});

test('a row is there for the very next read, and a subject that was never written has none', async () => {
  await fence.write([grant(2n, false)]);
  expect(await fence.read([grantSubject('G1'), grantSubject('G2')])).toEqual([grant(2n, false)]);
});

test('a revision beyond 2^53 keeps its digits', async () => {
  await fence.write([grant(9007199254740993n, false)]);
  expect(await fence.read([grantSubject('G1')])).toEqual([grant(9007199254740993n, false)]);
});

test('whoever writes in whatever order, alone or together, the highest revision wins (P1)', async () => {
  const subject = activationSubject('O1', 'A1');
  const row = fc.record({
    subject: fc.constant(subject),
    revision: fc.bigInt(0n, 6n),
    epoch: fc.constant(0),
    open: fc.constant(true),
  });
  // What a revision says is a fact of the stream: the same for every writer.
  const fact = ({ revision }: FenceRow): FenceRow => ({
    subject,
    revision,
    epoch: Number(revision / 2n) + 1,
    open: revision % 2n === 0n,
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(row, { maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      async (writes) => {
        await pool.query('delete from fence');
        const facts = writes.map((rows) => rows.map(fact));
        await Promise.all(facts.map((rows) => fence.write(rows)));
        const highest = facts.flat().sort((a, b) => Number(b.revision - a.revision))[0];
        expect(await fence.read([subject])).toEqual(highest ? [highest] : []);
      },
    ),
    { numRuns: 60 },
  );
});

test('two writers of the same rows in opposite order do not deadlock', async () => {
  const rows = Array.from({ length: 60 }, (_, i) => ({
    ...grant(1n, false),
    subject: grantSubject(`G${i}`),
  }));
  const writes = Array.from({ length: 12 }, (_, i) =>
    fence.write((i % 2 ? rows : rows.toReversed()).map((row) => ({ ...row, revision: BigInt(i) }))),
  );
  await expect(Promise.all(writes)).resolves.toHaveLength(12);
});

test('reads of one turn of the event loop share one statement, and each gets its own rows', async () => {
  let statements = 0;
  const counting: PipelinedReader = {
    ...reader,
    query: (statement, values) => {
      statements++;
      return reader.query(statement, values);
    },
  };
  const counted = makeFence({ pool, reader: counting });
  await counted.write([grant(1n, true), { ...grant(3n, false), subject: grantSubject('G2') }]);
  const [first, second, both] = await Promise.all([
    counted.read([grantSubject('G1')]),
    counted.read([grantSubject('G2')]),
    counted.read([grantSubject('G2'), grantSubject('G1')]),
  ]);
  expect(first).toEqual([grant(1n, true)]);
  expect(second.map(({ subject }) => subject)).toEqual(['grant:G2']);
  expect(both.map(({ subject }) => subject)).toEqual(['grant:G2', 'grant:G1']);
  expect(statements).toBe(1);
});

test('a read whose connection is lost is asked again on a new one, and never answered empty', async () => {
  await fence.write([grant(1n, false)]);
  const blocker = await pool.connect();
  let waiting;
  try {
    await blocker.query('begin');
    await blocker.query('lock table fence in access exclusive mode');
    waiting = fence.read([grantSubject('G1')]);
    await terminateReaders(1);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  expect(await waiting).toEqual([grant(1n, false)]);
  expect(await fence.read([grantSubject('G1')])).toEqual([grant(1n, false)]);
});

test('reads fail while nothing listens, so that a bearer check fails closed (RS-02)', async () => {
  const nowhere = makePipelinedReader({ databaseUrl: 'postgres://127.0.0.1:1/none', logger: quietLogger() });
  await expect(makeFence({ pool, reader: nowhere }).read([grantSubject('G1')])).rejects.toThrow(
    'ECONNREFUSED',
  );
  await nowhere.close();
});

/** Waits until the read is on the server, then ends its connection. */
const terminateReaders = async (count: number): Promise<void> => {
  await expect
    .poll(async () => {
      const { rows } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query like '%from fence where subject%'`,
      );
      return rows.length;
    })
    .toBe(count);
};
