import type { Pool } from 'pg';
import type { Outage } from '../../domain/access/outage.ts';

/** Where the instances share when they could not work. */
export type OutageTable = {
  /** Stores an outage, or its new end. */
  keep(id: string, outage: Outage): Promise<void>;
  /** The outages of all instances that ended after a moment. */
  endedAfter(moment: number): Promise<readonly Outage[]>;
};

export const makeOutageTable = ({ pool }: { readonly pool: Pick<Pool, 'query'> }): OutageTable => ({
  async keep(id, { began, ended }) {
    await pool.query({ name: 'keep-outage', text: keep, values: [id, began, ended] });
  },
  async endedAfter(moment) {
    const { rows } = await pool.query<Row>({ name: 'outages-after', text: read, values: [moment] });
    return rows.map(({ began, ended }) => ({ began: Number(began), ended: Number(ended) }));
  },
});

type Row = { readonly began: string; readonly ended: string };

const keep = `insert into outages (id, began, ended) values ($1, $2, $3)
  on conflict (id) do update set began = least(outages.began, excluded.began), ended = greatest(outages.ended, excluded.ended)`;
const read = 'select began, ended from outages where ended > $1';
