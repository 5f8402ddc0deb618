import { amount } from '../base/answer.ts';
import { countParked, keysIn, type ParkedCount } from '../../projections/parking/parked-rows.ts';
import { withTables } from './database.ts';
import { ok, warning, type Check } from './finding.ts';

const check = 'parked events';
export const decideOnThem =
  'decide on them: `grantbook parked list` (docs/how-to/parked-events.md, "Decide")';
const missing = 'events passed over';
const missingEvents = `
  select event_type as type, min(missing_since) as at from checkpoint_event_types where missing_since is not null
  group by event_type order by event_type`;

/** Events that could not be decoded or applied; checked even if the service is stopped. */
export const parkedChecks = (databaseUrl: string): readonly Check[] => [
  {
    check,
    run: () =>
      withTables(databaseUrl, async (client) => {
        const keys = keysIn((await client.query<ParkedCount>(countParked.text)).rows);
        return keys === 0
          ? ok(check, 'none')
          : warning(check, `${amount(keys, 'stream')} held back`, decideOnThem);
      }),
  },
  {
    check: missing,
    run: () =>
      withTables(databaseUrl, async (client) => {
        const { rows } = await client.query<{ type: string; at: Date }>(missingEvents);
        return rows.length === 0
          ? ok(missing, 'none')
          : rows.map(({ type, at }) =>
              warning(
                missing,
                `${type}, since ${at.toISOString()}`,
                'with all instances of the newer version: rebuild the read models that use it (docs/how-to/run-two-versions.md, "Upgrades")',
              ),
            );
      }),
  },
];
