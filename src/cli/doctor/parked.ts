import { countParked } from '../../projections/parked-rows.ts';
import { withDatabase } from './database.ts';
import { counted, ok, warning, type Check } from './finding.ts';

const check = 'parked events';

/** Events that could not be decoded or applied; checked even if the service is stopped. */
export const parkedChecks = (databaseUrl: string): readonly Check[] => [
  {
    check,
    run: () =>
      withDatabase(databaseUrl, async (client) => {
        const { rows } = await client.query<{ keys: number }>(countParked.text);
        const keys = rows.reduce((sum, row) => sum + row.keys, 0);
        return [
          keys === 0
            ? ok(check, 'none')
            : warning(
                check,
                `${counted(keys, 'stream')} held back`,
                'decide on them: `grantbook parked list` (docs/operations.md, "Events are parked")',
              ),
        ];
      }),
  },
];
