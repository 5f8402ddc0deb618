import type pg from 'pg';
import { readSkippedEvents } from '../../commands/log/skip-parked-event.ts';
import { readParkedKeys, type ParkedKey } from '../../projections/parking/parked-rows.ts';
import { reactAgain } from '../../reactions/react-again.ts';
import { describeUnreadable } from '../../reactions/reaction.ts';
import { retryKey, type Retried } from '../../projections/parking/retry-parked.ts';
import { refused, type Answer } from '../base/answer.ts';
import type { CliService } from '../base/service.ts';
import { groupOf } from './group-of.ts';
import { presentRetried, type KeyRetried } from './present-parked.ts';

export type WithTransaction = CliService & { readonly tx: pg.Client };
export type RetryOptions = { readonly projection?: string; readonly all?: boolean };

/** More than a projector parks before it stops. */
export const mostListed = 20_000;

/** Retries the parked events of one key, or of all keys. */
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
