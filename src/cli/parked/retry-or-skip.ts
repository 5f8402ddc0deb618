import type pg from 'pg';
import { readSkippedEvents } from '../../commands/log/skip-parked-event.ts';
import {
  readParkedKeys,
  type ParkedKey,
  readFirstOf,
  readParkedEvents,
  type ParkedEvent,
} from '../../projections/parking/parked-rows.ts';
import { reactAgain } from '../../reactions/react-again.ts';
import { describeUnreadable } from '../../reactions/reaction.ts';
import { retryKey, type Retried } from '../../projections/parking/retry-parked.ts';
import { refused, type Answer } from '../base/answer.ts';
import type { CliService } from '../base/service.ts';
import { groupOf, isClosing, readModelsOf } from './group-of.ts';
import { presentRetried, type KeyRetried } from './present-parked.ts';
import { writeSide } from '../../domain/log/parked-event.ts';

export type WithTransaction = CliService & { readonly tx: pg.Client };
export type RetryOptions = { readonly projection?: string; readonly all?: boolean };

/** More than a projector parks before it stops. */
export const mostListed = 20_000;

export const retry = async (
  service: WithTransaction,
  stream: string | undefined,
  { projection, all = false }: RetryOptions,
): Promise<Answer> => {
  if ((stream === undefined) !== all)
    return refused('which', 'either a key or --all is required', [
      { field: 'stream', message: 'is one that `parked list` answers; without it --all' },
    ]);
  const keys = (await readParkedKeys(service.tx, mostListed))
    .map(({ first }) => first)
    .filter(
      (key) => (stream ?? key.stream) === key.stream && (projection ?? key.projection) === key.projection,
    );
  if (stream !== undefined && keys.length === 0)
    return refused(
      'not-parked',
      `nothing of ${stream} is parked${projection === undefined ? '' : ` in ${projection}`}`,
    );
  const retried: KeyRetried[] = [];
  for (const key of keys) retried.push({ key, retried: await retryOne(service, key) });
  return presentRetried(retried);
};

/** Null for a key of a consumer that this version does not know. */
export const retryOne = async (service: WithTransaction, key: ParkedKey): Promise<Retried | null> => {
  const { tx, store: log } = service;
  const skipped = readSkippedEvents(log);
  const group = await groupOf(service, key);
  if (!group) return null;
  if (group.kind === 'reaction')
    return reactAgain({ tx, log, skipped, handle: group.handle, describe: describeUnreadable }, key);
  const { kind: _, ...readModel } = group;
  return retryKey({ tx, ...readModel, log, skipped }, key);
};

export type SkipOptions = { readonly projection?: string; readonly reason?: string };

/** Permanently skips an event, everywhere or in one read model. One that cannot be decoded is then no part of its stream (OP-02). */
export const skip = async (
  service: WithTransaction,
  eventId: string,
  options: SkipOptions,
): Promise<Answer> => {
  const { projection, reason } = options;
  const found = (await readParkedEvents(service.tx, eventId)).filter(
    (event) => (projection ?? event.projection) === event.projection,
  );
  const [first] = found;
  if (!first)
    return refused(
      'not-parked',
      `the event ${eventId} is not parked${projection === undefined ? '' : ` in ${projection}`}`,
    );
  const ahead = await aheadOf(service, found);
  if (ahead)
    return refused(
      'waits',
      `the event only waits for ${ahead.eventId} (${ahead.type}) of the same key, which failed: skip or retry that one`,
    );
  for (const name of await leavingOut(service, found, projection))
    await service.commands.skipParkedEvent({
      projection: name,
      key: first.stream,
      eventId,
      ...(reason !== undefined && { reason }),
    });
  // Makes consumers that have not reached the event reload the list of skipped events.
  await service.tx.query('update checkpoints set parked_changes = parked_changes + 1');
  const retried: KeyRetried[] = [];
  for (const key of found) retried.push({ key, retried: await retryOne(service, key) });
  return presentRetried(retried, eventId);
};

/** The write side comes first: after a crash in between, the event is still parked and the command can be repeated. */
const leavingOut = async (
  { store, reactions }: WithTransaction,
  found: readonly ParkedEvent[],
  projection: string | undefined,
): Promise<readonly string[]> => {
  const names = found.map((event) => event.projection);
  const [first] = found;
  const [read] = first ? await store.readEach(first.stream, first.revision, 1) : [];
  const isReadable = read?.kind === 'event' && read.event.revision === first?.revision;
  if (isReadable || !first || (projection !== undefined && !isClosing(projection)))
    return [...new Set(names)];
  const others = projection === undefined ? [...readModelsOf(first.type), ...Object.keys(reactions)] : [];
  return [...new Set([writeSide, ...names, ...others])];
};

const aheadOf = async (
  { tx }: WithTransaction,
  found: readonly ParkedEvent[],
): Promise<ParkedEvent | null> => {
  for (const event of found) {
    const [first] = event.error === null ? await readFirstOf(tx, event, 1) : [];
    if (first && first.eventId !== event.eventId) return first;
  }
  return null;
};
