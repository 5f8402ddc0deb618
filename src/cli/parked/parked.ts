import { withClient } from '../../common/with-client.ts';
import { readParkedKeys } from '../../projections/parking/parked-rows.ts';
import type { Answer } from '../base/answer.ts';
import type { CliIo } from '../base/cli-io.ts';
import { changing, leaf, type AddCommands } from '../base/define.ts';
import { allowing, matching } from '../base/option-values.ts';
import { type ColumnOptions, withColumns } from '../base/list.ts';
import { withService } from '../base/service.ts';
import { parkedColumns, presentParked } from './present-parked.ts';
import {
  mostListed,
  retry,
  type WithTransaction,
  type RetryOptions,
  skip,
  type SkipOptions,
} from './retry-or-skip.ts';

export const addParkedCommands: AddCommands = (program, io, run) => {
  const parked = program.command('parked');
  const projection = ['--projection <name>', 'only in this read model', parseProjection] as const;
  withColumns(leaf(parked, 'list', 'list parked events with their errors and effects'), parkedColumns).action(
    ({ columns }: ColumnOptions) =>
      run(() =>
        withDatabase(io, async ({ tx }) => presentParked(await readParkedKeys(tx, mostListed), columns)),
      ),
  );
  leaf(parked, 'retry', 'apply the parked events of a key again, in order')
    .argument('[stream]', 'the key, as printed by list', parseStream)
    .option(...projection)
    .option('--all', 'every key that is parked')
    .action((stream: string | undefined, options: RetryOptions) =>
      run(() => withDatabase(io, (service) => retry(service, stream, options))),
    );
  changing(parked, 'skip', 'skip one event permanently, and continue with the rest of its key')
    .argument('<event>', 'id of the event, as list answers it', parseEventId)
    .option(...projection)
    .action((eventId: string, options: SkipOptions) =>
      run(() => withDatabase(io, (service) => skip(service, eventId, options))),
    );
};

const withDatabase = (io: CliIo, use: (service: WithTransaction) => Promise<Answer>): Promise<Answer> =>
  withService(io, (service) =>
    withClient({ connectionString: service.databaseUrl, connectionTimeoutMillis: 5_000 }, (tx) =>
      use({ ...service, tx }),
    ),
  );

/** Other programs may write streams, too: any printable name is accepted. */
const parseStream = matching(
  'is the name of a stream, such as profile-<organization>.<id>',
  /^[\x21-\x7e]{1,300}$/,
);
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const parseEventId = allowing('is the id of an event, a UUID', (value) =>
  uuid.test(value) ? value.toLowerCase() : null,
);
const parseProjection = matching('is the name of a read model, such as lists or grants', /^[a-z-]{1,64}$/);
