import { statement } from '../../common/transaction.ts';

/** Since when the instances count what is not in the log: since the tables are there. */
export const countedSince = statement('counted-since')`
  select floor(extract(epoch from min(ran_at)) * 1000)::bigint as at from migrations`;
