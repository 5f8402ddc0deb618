import { countParked, keysIn, readParkedKeys, type ParkedCount } from '../parking/parked-rows.ts';
import { instantIn } from '../leadership/this-instance.ts';
import type { Tx } from '../follow/projection.ts';
import type { DatabaseStatus, InstanceStatus, RebuildStatus } from './status.ts';

const mostShown = 20;

/** The status that all instances share, so that each of them shows the same. @throws when the server does not answer */
export const readDatabaseStatus = async (tx: Tx): Promise<DatabaseStatus> => {
  const sessions = (await tx.query<Session>(leaderSessions)).rows.map(named);
  const { rows: checkpoints } = await tx.query<{ name: string; position: string | null }>(checkpointRows);
  const { rows: rebuilds } = await tx.query<RebuildStatus>(unfinished);
  const keys = await readParkedKeys(tx, mostShown);
  const { rows: failing } = await tx.query<{ endpoints: number }>(countFailing);
  const { rows: counted } = await tx.query<ParkedCount>(countParked.text);
  return {
    groups: checkpoints.map(({ name, position }) => ({
      name,
      position,
      leader: sessions.find((session) => session.group === name && session.leads)?.instance ?? null,
    })),
    instances: instancesIn(sessions),
    parked: { keys, all: keysIn(counted) },
    rebuilds,
    failingEndpoints: failing[0]?.endpoints ?? 0,
  };
};

type Session = { readonly application: string; readonly since: Date; readonly leads: boolean };

const named = ({ application, since, leads }: Session) => {
  const [, group = '', instance = '', started] =
    /^grantbook (\S+) (\S+)(?: ([0-9a-z]+))?$/.exec(application) ?? [];
  return { group, instance, since: started === undefined ? since.getTime() : instantIn(started), leads };
};

/** Every instance stands by for every group, with one session for each, which ends with the instance. */
const instancesIn = (sessions: readonly ReturnType<typeof named>[]): readonly InstanceStatus[] => {
  const names = [...new Set(sessions.map(({ instance }) => instance))].filter((name) => name !== '').sort();
  return names.map((name) => {
    const own = sessions.filter(({ instance }) => instance === name);
    return {
      name,
      since: Math.min(...own.map(({ since }) => since)),
      leads: own.flatMap(({ group, leads }) => (leads ? [group] : [])).sort(),
    };
  });
};

const leaderSessions = `
  select application_name as application, backend_start as since,
         exists (select from pg_locks as lock where lock.pid = session.pid and locktype = 'advisory' and granted) as leads
  from pg_stat_activity as session
  where datname = current_database() and application_name like 'grantbook % %'`;

const checkpointRows = `
  select name, commit_position || '/' || prepare_position as position
  from checkpoints where name not like 'rebuild:%' order by name`;

const unfinished = `
  select name, version, state, events::float8 as events, events_per_second as "eventsPerSecond", seconds_left as "secondsLeft"
  from projection_versions where state in ('building', 'built') order by name, version desc limit 50`;

/** A paused stream counts as well: its add-on is not notified. */
export const countFailing = `
  select count(*)::int as endpoints from signal_streams where failing_since is not null and status <> 'deleted'`;
