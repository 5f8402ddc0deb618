import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { quietLogger } from '../../support/quiet-logger.ts';
import { testReadModels, type TestReadModels } from '../../support/log/read-models.ts';
import { projectAll, scriptedLog } from '../../support/log/test-projector.ts';
import { tell, wholeStory } from './a-story.ts';

let side: TestReadModels;
beforeAll(async () => {
  side = await testReadModels();
});
afterEach(() => {
  vi.restoreAllMocks();
});
afterAll(() => side.close());

type Point = { readonly statement: number; readonly when: 'before' | 'after' };

/** Watches the statements of whoever asks for the leader's lock, and cuts its connection at one point. */
const watchLeader = (point: Point | null) => {
  const statements: string[] = [];
  const leaders = new WeakSet<Client>();
  // oxlint-disable-next-line typescript/unbound-method -- called with the client below
  const query = Client.prototype.query as (this: Client, ...args: unknown[]) => Promise<unknown>;
  const watched = async function (this: Client, ...args: unknown[]): Promise<unknown> {
    const [first] = args;
    const text = typeof first === 'string' ? first : (first as { text: string }).text;
    if (text.includes('pg_try_advisory_lock')) leaders.add(this);
    if (!leaders.has(this) || /heartbeat|pg_advisory_unlock/.test(text)) return query.apply(this, args);
    const dies = point !== null && statements.length === point.statement;
    statements.push(text.trim().slice(0, 60));
    if (dies && point.when === 'before') return cut(this);
    const result = await query.apply(this, args);
    return dies ? cut(this) : result;
  };
  vi.spyOn(Client.prototype, 'query').mockImplementation(watched as unknown as () => void);
  return statements;
};

/** What kill -9 looks like from the server: the connection is gone in the middle of whatever it was. */
const cut = (client: Client): never => {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  throw new Error('killed here');
};

test('killed before or after any of its statements, it ends in the same tables as an uninterrupted run', async () => {
  const log = scriptedLog();
  tell(log, ...wholeStory());
  const options = { batchSize: 25, bounds: { pollMs: 5 }, logger: quietLogger() };

  const statements = watchLeader(null);
  await projectAll(side.database.url, log, options);
  vi.restoreAllMocks();
  const uninterrupted = await side.dump();
  expect(statements.filter((text) => text === 'commit').length).toBeGreaterThan(1);

  const points = statements.flatMap((_text, statement): readonly Point[] => [
    { statement, when: 'before' },
    { statement, when: 'after' },
  ]);
  for (const point of points) {
    await side.clear();
    const interrupted = watchLeader(point);
    await projectAll(side.database.url, log, options);
    vi.restoreAllMocks();
    expect(
      interrupted.filter((text) => text.includes('pg_try_advisory_lock')).length,
      'it led twice',
    ).toBeGreaterThan(1);
    expect(await side.dump(), `cut ${point.when} ${statements[point.statement]}`).toEqual(uninterrupted);
  }
});
