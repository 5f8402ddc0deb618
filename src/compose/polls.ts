import type { PipelinedReader } from '../projections/database/pipelined-reader.ts';
import { makeEndPolled } from '../signals/end-polled.ts';
import { makeJudgedLately } from '../signals/judged-lately.ts';
import { makePollPlaces } from '../signals/poll-places.ts';
import { makePoll } from '../signals/poll.ts';
import { makeReadSets } from '../signals/read-sets.ts';
import { makeSignSet } from '../signals/sign-set.ts';
import type { Core } from './core.ts';

type Parts = Pick<Core, 'pool' | 'ring' | 'addons' | 'now'> & { readonly reader: PipelinedReader };

/** Polls of add-ons: only in a process that answers requests. */
export const composePolls = ({ pool, reader, ring, addons, now }: Parts) => {
  const places = makePollPlaces();
  const { offered, lags, failingEndpoints } = makeReadSets((statement, values) =>
    reader.query(statement, values),
  );
  const { endSets, failures } = makeEndPolled({ pool, now });
  const algOf = async (addonId: string) => (await addons.find(addonId))?.idTokenAlg ?? 'RS256';
  const signSetsAs = (issuer: string) => makeSignSet({ ring, issuer, algOf });
  return {
    places,
    lately: makeJudgedLately(now),
    failures,
    lags,
    failingEndpoints,
    /** @param issuer of the SETs */
    signSetsAs,
    pollAs: (issuer: string) => makePoll({ places, offered, endSets, sign: signSetsAs(issuer) }),
  };
};
