import pg from 'pg';
import { activationSubject } from '../../src/domain/fence/fence.ts';
import { makeListReader } from '../../src/projections/lists/read/list-reader.ts';
import type { Named, PipelinedReader } from '../../src/projections/database/pipelined-reader.ts';
import { startChildIn } from '../child.ts';
import { percentile } from '../percentile.ts';
import { withoutFence } from './fenceless.ts';
import { epoch, type Stage } from './stage.ts';
import { accessTokenOf, expectList } from './tokens-of.ts';

/**
 * Milliseconds of the same operation with and without the fence, from `n` alternating pairs: `fenced` is the p50 with
 * it; `fenceless` is that minus the p50 of the differences within the pairs.
 */
export type Pairs = { readonly fenced: number; readonly fenceless: number; readonly n: number };

const page = { place: { by: 'page', page: 2 }, perPage: 25 } as const;

/** Whole requests, one at a time, to one process that serves the list in both ways. */
export const timeListRequests = async (stage: Stage, n: number): Promise<Pairs> => {
  const child = await startChildIn<{ fenced: string; fenceless: string }>(stage.env, 'list-twice');
  try {
    const token = await accessTokenOf(stage.core, stage.home.grantIds[0] ?? '');
    const headers = { authorization: `Bearer ${token}` };
    const urls = [child.said.fenced, child.said.fenceless].map((each) => `${each}/access-rights?page=2`);
    for (const url of [child.said.fenced, child.said.fenceless]) await expectList(url, token, 200);
    const fenced: number[] = [];
    const differences: number[] = [];
    const warmUp = Math.min(n, 300);
    for (let pair = -warmUp; pair < n; pair += 1) {
      const took = [0, 0];
      for (const which of pair % 2 === 0 ? [0, 1] : [1, 0]) {
        const began = performance.now();
        await (await fetch(urls[which] ?? '', { headers })).text();
        took[which] = performance.now() - began;
      }
      const [withIt = 0, without = 0] = took;
      if (pair < 0) continue;
      fenced.push(withIt);
      differences.push(withIt - without);
    }
    const p50 = percentile(fenced, 0.5);
    return { fenced: p50, fenceless: p50 - percentile(differences, 0.5), n };
  } finally {
    await child.stop();
  }
};

/** The statement alone, timed by the database: no protocol, no round trip, planned once as in the service. */
export const timeListStatement = async (stage: Stage, n: number): Promise<Pairs> => {
  const { text, values } = await statementOf(stage);
  const client = new pg.Client({ connectionString: stage.databaseUrl });
  await client.connect();
  try {
    await client.query('set plan_cache_mode = force_generic_plan; set enable_seqscan = off; set jit = off');
    await client.query(alternating(text, withoutFence(text)));
    const pairs = async (amount: number) =>
      (
        await client.query<{ fenced: number; fenceless: number }>(
          'select * from pg_temp.alternate($1, $2, $3, $4, $5, $6)',
          [...values, amount],
        )
      ).rows[0];
    await pairs(Math.min(n, 300));
    const timed = await pairs(n);
    if (!timed) throw new Error('the statement of a list page could not be timed');
    return { ...timed, n };
  } finally {
    await client.end();
  }
};

/** The statement that the service sends for this page, captured from a request. */
const statementOf = async ({ clientId, home }: Stage) => {
  const sent: { text: string; values: readonly unknown[] }[] = [];
  const catching: PipelinedReader = {
    query: ({ text }: Named, values: readonly unknown[]) => {
      sent.push({ text, values });
      return Promise.resolve([]);
    },
    close: () => Promise.resolve(),
  };
  const subject = { kind: 'organization', organizationId: home.organizationId, epoch } as const;
  const guarded = { grantId: home.grantIds[0] ?? '', addonId: clientId, userId: '', subject, rotation: 0 };
  await makeListReader(catching, 'access_rights')
    .page({ guarded, ...page })
    .catch(() => undefined); // the fake answer has no row
  const [only] = sent;
  const names = only?.values[0] as readonly string[] | undefined;
  if (!only || !names?.includes(activationSubject(home.organizationId, clientId)))
    throw new Error('a list page is not read by one guarded statement any more');
  return only;
};

const alternating = (fenced: string, fenceless: string): string => `
  create function pg_temp.alternate(text[], text, int, text[], int, pairs int, out fenced float, out fenceless float) as $body$
  declare
    began timestamptz; one float; a float[] := '{}'; b float[] := '{}';
  begin
    for pair in 1..pairs loop
      began := clock_timestamp();
      perform * from (${fenced}) as page;
      one := extract(epoch from clock_timestamp() - began)::float * 1000;
      a := a || one;
      began := clock_timestamp();
      perform * from (${fenceless}) as page;
      b := b || (one - extract(epoch from clock_timestamp() - began)::float * 1000);
    end loop;
    fenced := (select percentile_cont(0.5) within group (order by each) from unnest(a) as each);
    fenceless := fenced - (select percentile_cont(0.5) within group (order by each) from unnest(b) as each);
  end $body$ language plpgsql`;
