import { accountPerson, profilePerson } from '../../domain/personal-data.ts';
import { idOf } from '../../domain/kernel/stream-name.ts';
import { eraseAccounts } from './accounts.ts';
import { enterSchema } from '../database/own-schema.ts';
import { destroyKeysAgain } from '../working-state/destroyed-keys.ts';
import { eraseReadNetworks } from '../read-counts/write-reads.ts';
import { eraseProfileRows, type ErasedProfile } from '../lists/write/erase-profiles.ts';
import { defineProjection, type Tx } from '../follow/projection.ts';

type Changes = { readonly accounts: string[]; readonly profiles: ErasedProfile[] };

/** Erasures in the live projector wait for nothing: no parked key, no other version of a read model. */
export const erasures = defineProjection<Changes>({
  name: 'erasures',
  closes: true,
  empty: () => ({ accounts: [], profiles: [] }),
  on: {
    AccountErased: ({ accounts }, _data, event) => void accounts.push(idOf(event.stream)),
    ProfileErased: ({ profiles }, { organizationId, id }, event) => {
      profiles.push({ organizationId, id, position: event.position.commit });
    },
  },
  async write(tx, { accounts, profiles }) {
    await destroyKeysAgain(tx, [
      ...accounts.map(accountPerson),
      ...profiles.map(({ organizationId, id }) => profilePerson(organizationId, id)),
    ]);
    if (accounts.length + profiles.length > 0) await tx.query('delete from prepared_answers'); // what is being computed begins anew
    if (accounts.length > 0) {
      await everywhere(tx, 'accounts', () => eraseAccounts(tx, accounts));
      await eraseReadNetworks(tx, accounts);
    }
    if (profiles.length > 0) await everywhere(tx, 'lists', () => eraseProfileRows(tx, profiles));
  },
});

/** In the live schema, and in the schema of each other version. */
const everywhere = async (tx: Tx, name: string, work: () => Promise<void>): Promise<void> => {
  await work();
  const { rows } = await tx.query<{ readonly schema: string }>(
    `select schema from projection_versions where name = $1 and state <> 'live' order by version`,
    [name],
  );
  for (const { schema } of rows) {
    const { rows: before } = await tx.query<{ readonly path: string }>(
      `select current_setting('search_path') as path`,
    );
    await enterSchema(tx, schema, true);
    await work();
    await tx.query(`select set_config('search_path', $1, true)`, [before[0]?.path]);
  }
};
