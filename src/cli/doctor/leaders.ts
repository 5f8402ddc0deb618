import { relayCheckpoint } from '../../compose-relay.ts';
import { withDatabase } from './database.ts';
import { failure, ok, warning, type Finding, type Look } from './finding.ts';

type Needs = {
  readonly databaseUrl: string;
  readonly withKafka: boolean;
  /** Whether a service has to run now: not where everything is embedded and none does. */
  readonly expected: boolean;
};

/** Each worker is led by one instance, which holds a lock in the database. */
export const looksAtLeaders = ({ databaseUrl, withKafka, expected }: Needs): readonly Look[] => [
  {
    check: 'leaders',
    look: () =>
      withDatabase(databaseUrl, async (client) => {
        const { rows } = await client.query<Led>(whoLeads);
        const led = rows.filter(({ name }) => withKafka || name !== relayCheckpoint);
        if (led.length === 0)
          return [warning('leaders', 'no service has ever run on this database', 'start one')];
        return led.map((row) => judge(row, expected));
      }),
  },
];

/** Which workers are led by an instance now. */
export const ledNow = (databaseUrl: string): Promise<readonly Led[]> =>
  withDatabase(databaseUrl, async (client) =>
    (await client.query<Led>(whoLeads)).rows.filter(({ leader }) => leader !== null),
  );

type Led = { readonly name: string; readonly leader: string | null };

/** The address is null over a socket. A rebuild is led only while somebody runs it. */
const whoLeads = `
  select name, (
    select coalesce(host(client_addr), 'a process of this machine')
    from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())
      and ((classid::bigint << 32) | objid::bigint) = hashtextextended('grantbook leader ' || name, 0)
    limit 1) as leader
  from checkpoints where name not like 'rebuild:%' order by name`;

const judge = ({ name, leader }: Led, expected: boolean): Finding => {
  const check = `leader of ${name}`;
  if (leader !== null) return ok(check, `led from ${leader}`);
  if (!expected) return warning(check, 'nobody leads: no service runs here', 'start it');
  return failure(
    check,
    'nobody leads',
    'start an instance, or see why those that run do not lead: /health/ready and their logs',
  );
};
