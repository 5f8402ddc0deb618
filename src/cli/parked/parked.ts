import pg from 'pg';
import { retryKey, type Retried } from '../../projections/retry-parked.ts';
import { readSkippedEvents } from '../../commands/skip-parked-event.ts';
import {
  readParkedEvents,
  readParkedKeys,
  readFirstOf,
  type ParkedEvent,
  type ParkedKey,
} from '../../projections/parked-rows.ts';
import { refused, type Answer } from '../answer.ts';
import { leaf, type AddCommands } from '../define.ts';
import { withService, type CliService } from '../service.ts';
import type { CliIo } from '../cli-io.ts';
import { groupOf } from './group-of.ts';
import { parseEventId, parseProjection, parseStream } from './parked-options.ts';
import { presentParked, presentRetried, type KeyRetried } from './present-parked.ts';

export const addParkedCommands: AddCommands = (program, io, run) => {
  const parked = program.command('parked').description('events that a read model could not take');
  const projection = ['--projection <name>', 'only in this read model', parseProjection] as const;
  leaf(parked, 'list', 'parked events, why, and what is stale because of them').action(() =>
    run(() => withDatabase(io, list)),
  );
  leaf(parked, 'retry', 'apply what is parked of a key, in order, and let it go')
    .argument('[stream]', 'the key, as list answers it', parseStream)
    .option(...projection)
    .option('--all', 'every key that is parked')
    .action((stream: string | undefined, options: Options) =>
      run(() => withDatabase(io, (beside) => retry(beside, stream, options))),
    );
  leaf(parked, 'skip', 'leave one event out for good, and go on with the rest of its key')
    .argument('<event>', 'id of the event, as list answers it', parseEventId)
    .option(...projection)
    .action((eventId: string, options: Options) =>
      run(() => withDatabase(io, (beside) => skip(beside, eventId, options))),
    );
};

type Options = { readonly projection?: string; readonly all?: boolean };
type Beside = CliService & { readonly tx: pg.Client };

const withDatabase = (io: CliIo, use: (beside: Beside) => Promise<Answer>): Promise<Answer> =>
  withService(io, async (service) => {
    const tx = new pg.Client({ connectionString: service.databaseUrl, connectionTimeoutMillis: 5_000 });
    await tx.connect();
    try {
      return await use({ ...service, tx });
    } finally {
      await tx.end();
    }
  });

/** More than the keys that a projector parks before it stops. */
const most = 20_000;

const list = async ({ tx }: Beside): Promise<Answer> => presentParked(await readParkedKeys(tx, most));

const retry = async (
  beside: Beside,
  stream: string | undefined,
  { projection, all = false }: Options,
): Promise<Answer> => {
  if ((stream === undefined) !== all)
    return refused('which', 'either name the stream of a key, or give --all', [
      { field: 'stream', message: 'is one that `parked list` answers; without it --all' },
    ]);
  const keys = (await readParkedKeys(beside.tx, most))
    .map(({ first }) => first)
    .filter(
      (key) => (stream ?? key.stream) === key.stream && (projection ?? key.projection) === key.projection,
    );
  if (stream !== undefined && keys.length === 0)
    return refused('not-parked', `nothing of ${stream} is parked${inside(projection)}`);
  const retried: KeyRetried[] = [];
  for (const key of keys) retried.push({ key, retried: await retryOne(beside, key) });
  return presentRetried(retried);
};

/** Null for a key that this program has no writer for. */
const retryOne = async ({ tx, store }: Beside, key: ParkedKey): Promise<Retried | null> => {
  const group = await groupOf(tx, key);
  return group && retryKey({ tx, ...group, log: store, skipped: readSkippedEvents(store) }, key);
};

const inside = (projection: string | undefined): string =>
  projection === undefined ? '' : ` in ${projection}`;

const skip = async (beside: Beside, eventId: string, { projection }: Options): Promise<Answer> => {
  const found = (await readParkedEvents(beside.tx, eventId)).filter(
    (event) => (projection ?? event.projection) === event.projection,
  );
  const names = [...new Set(found.map((event) => event.projection))];
  if (found.length === 0)
    return refused('not-parked', `the event ${eventId} is not parked${inside(projection)}`);
  if (names.length > 1)
    return refused('which', `the event is parked in ${names.join(' and ')}; say which with --projection`);
  const ahead = await aheadOf(beside, found);
  if (ahead) {
    return refused(
      'waits',
      `the event only waits for ${ahead.eventId} (${ahead.type}) of the same key, which failed: skip or retry that one`,
    );
  }
  const [name = ''] = names;
  await beside.commands.skipParkedEvent({ projection: name, key: found[0]?.stream ?? '', eventId });
  const retried: KeyRetried[] = [];
  for (const key of found) retried.push({ key, retried: await retryOne(beside, key) });
  return presentRetried(retried, eventId);
};

const aheadOf = async ({ tx }: Beside, found: readonly ParkedEvent[]): Promise<ParkedEvent | null> => {
  for (const event of found) {
    const [first] = await readFirstOf(tx, event, 1);
    if (first && first.eventId !== event.eventId) return first;
  }
  return null;
};
