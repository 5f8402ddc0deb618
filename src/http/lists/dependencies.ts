import type { CommandsInContext } from '../../commands/commands.ts';
import type { ListReaders, ReadModels } from '../../projections/read-models.ts';
import type { ReadCounter } from '../../projections/read-counts/count-reads.ts';
import type { Base } from '../base/dependencies.ts';
import type { RateLimits } from '../limits/counters/rate-limits.ts';
import type { CursorKey } from './cursor.ts';

export type ListDependencies = Pick<Base, 'config' | 'now' | 'trusted'> & {
  readonly commands: Pick<
    CommandsInContext,
    'accessTokenHasExpired' | 'judgeAddonToken' | 'readAddonToken' | 'verifyAccessToken'
  >;
  readonly readModels: ListReaders & Pick<ReadModels, 'judge'>;
  readonly rateLimits: Pick<RateLimits, 'resources' | 'signals'>;
  /** Counts an answered page of a list. No I/O. */
  readonly countRead: ReadCounter['count'];
  /** The same on all instances: the first encrypts cursors of links, those of the others are accepted. */
  readonly cursorKeys: readonly [CursorKey, ...CursorKey[]];
};
