import type { Group, LoadedGroup } from './program.ts';

export type Loaders = Readonly<Record<string, LoadedGroup['load']>>;

const [yourself, marketplace, records, log, servers] = [
  'Sign-in',
  'Marketplace',
  'Records',
  'Audit',
  'Operation',
] as const;

const group = (heading: string, commands: Group['commands'], inContents?: string): Group => ({
  heading,
  commands,
  ...(inContents !== undefined && { inContents }),
});

/** In the order of the help. */
export const contents: readonly Group[] = [
  group(
    yourself,
    {
      login: 'sign in, so that the audit log says who does what',
      logout: 'sign out',
      whoami: 'show who is signed in',
    },
    'sign in, so that the audit log names you',
  ),
  group(marketplace, { organization: 'create, find, change and close; who administers them' }),
  group(marketplace, { user: 'accounts, their roles and sessions' }),
  group(
    marketplace,
    {
      addon: 'register, show, change, suspend and retire add-ons',
      publisher: 'publishers of add-ons, and what their members do with these',
    },
    'register, change, retire; who offers them',
  ),
  group(marketplace, { activation: "switch an organization's add-ons on and off" }),
  group(marketplace, { signals: 'list, create and show signal streams' }),
  group(marketplace, { grant: 'list, show and revoke grants of add-ons' }),
  group(
    records,
    {
      import: 'import records from NDJSON',
      'expired-messages': 'messages of the host platform that expired unread',
    },
    'import records; what expired unread',
  ),
  group(records, { profile: "erase a person's profile" }),
  group(log, { audit: 'query, export and verify the audit log' }),
  group(log, { history: 'drop old months of the timeline' }),
  group(log, { log: 'copy the whole log to another event store' }),
  group(servers, { doctor: 'check what the service depends on, with advice' }),
  group(servers, { migrate: 'migrate the database, create the Kafka topics' }),
  group(servers, { projections: 'rebuild, verify and swap in read models' }),
  group(servers, { parked: 'events that could not be decoded or applied' }),
  group(servers, { keys: 'rotate signing keys; back up keys of personal data' }),
  group(servers, { kafka: 'topics, relay and ingest; dead letters' }),
  group(servers, { eventstore: 'run only the embedded event store node' }),
];

/** The first command of a group names it. @throws where a group has nothing to load: a group was forgotten */
export const withLoaders = (loaders: Loaders): readonly LoadedGroup[] =>
  contents.map((group) => {
    const name = Object.keys(group.commands)[0] ?? '';
    const load = loaders[name];
    if (!load) throw new Error(`the group ${name} has no commands`);
    return { ...group, load };
  });
