import type { ListReaders } from '../../projections/read-models.ts';
import type { ReadCounter } from '../../projections/read-counts/count-reads.ts';
import type { Base } from '../base/dependencies.ts';
import type { BearerDependencies } from './accept-tokens.ts';
import type { CursorKey } from './cursor.ts';

export type ListDependencies = BearerDependencies &
  Pick<Base, 'now'> & {
    readonly readModels: ListReaders;
    /** Counts an answered page of a list. No I/O. */
    readonly countRead: ReadCounter['count'];
    /** The same on all instances: the first encrypts cursors of links, those of the others are accepted. */
    readonly cursorKeys: readonly [CursorKey, ...CursorKey[]];
  };
