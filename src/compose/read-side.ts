import { findMismatch } from '../projections/log-guard/compare-with-log.ts';
import { guardGeneration } from '../projections/database/generation-guard.ts';
import { makeReadModels } from '../projections/read-models-pg.ts';
import { makeLogHeads } from '../reactions/log-heads.ts';
import { composeAudit } from './audit.ts';
import type { Signing } from './signing.ts';
import type { Stores } from './stores.ts';

export const composeReadSide = (stores: Stores, { sign }: Pick<Signing, 'sign'>) => {
  const { store, reader, generation, progress, now } = stores;
  return {
    readModels: makeReadModels({ reader, guarded: guardGeneration(reader, generation), progress }),
    audit: composeAudit(stores),
    logHeads: makeLogHeads({ store, sign, now, reader }),
    /** What the database has applied but the log lacks; null when they agree. @throws when one cannot be reached */
    logMismatch: (patienceMs: number) => findMismatch({ log: store, reader }, patienceMs),
  };
};
