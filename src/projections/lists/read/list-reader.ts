import type { ListName } from '../write/operations.ts';
import { fenceSubjectsOf, judgeFence } from '../../../domain/fence/fence.ts';
import { toFenceRow, type StoredFenceRow } from '../../fence/fence-statement.ts';
import { usualFanOut } from '../write/counting.ts';
import type { PipelinedReader } from '../../database/pipelined-reader.ts';
import type { ListPlace, ListReader, ListRequest } from '../../read-models.ts';
import { answerOf, type ItemsRow } from './answer-of.ts';
import { listStatement } from './list-statement.ts';
import type { ListWay } from './parts.ts';

type Row<T> = ItemsRow<T> & {
  readonly fence: readonly StoredFenceRow[] | null;
  readonly version: string;
  readonly unchanged: boolean;
  readonly stale: boolean;
};

/** The reader of one of the lists, over the tables of 0011-lists-by-ordinal.sql. */
export const makeListReader = <T extends object>(reader: PipelinedReader, list: ListName): ListReader<T> => {
  const statements = {
    organization: {
      start: listStatement(list, 'organization', 'start'),
      page: listStatement(list, 'organization', 'page'),
      after: listStatement(list, 'organization', 'after'),
      before: listStatement(list, 'organization', 'before'),
    },
    user: {
      page: listStatement(list, 'user', 'page'),
      after: listStatement(list, 'user', 'after'),
      before: listStatement(list, 'user', 'before'),
    },
  };

  const ask = ({ guarded, perPage, place, unless = [] }: ListRequest): Promise<readonly Row<T>[]> => {
    const { subject, addonId } = guarded;
    const common = (id: string) => [fenceSubjectsOf(guarded), id, perPage, unless];
    if (subject.kind === 'user')
      return reader.query<Row<T>>(statements.user[place.by], [
        ...common(subject.userId),
        addonId,
        ...(place.by === 'page' ? [] : [place.position.organizationId]),
        ...valuesOf(place, perPage),
      ]);
    return reader.query<Row<T>>(statements.organization[wayTo(place, perPage)], [
      ...common(subject.organizationId),
      ...valuesOf(place, perPage),
    ]);
  };

  return {
    async page(request) {
      const [row] = await ask(request);
      if (!row) throw new Error('A page is one row');
      const refused = judgeFence(request.guarded, (row.fence ?? []).map(toFenceRow));
      if (refused) return { refused };
      const { version, stale } = row;
      if (row.unchanged) return { refused, version, stale, unchanged: true };
      return { refused, version, stale, unchanged: false, ...answerOf(request, row) };
    },
  };
};

const offsetOf = (page: number, perPage: number): number => (page - 1) * perPage;

const valuesOf = (place: ListPlace, perPage: number): readonly unknown[] =>
  place.by === 'page' ? [offsetOf(place.page, perPage)] : [place.position.ordinal, place.bound];

/** Skipping fewer records than a block holds costs less than searching the blocks, and reads no more rows. */
const wayTo = (place: ListPlace, perPage: number): ListWay =>
  place.by === 'page' && offsetOf(place.page, perPage) < usualFanOut ? 'start' : place.by;
