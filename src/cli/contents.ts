import type { Group, LoadedGroup } from './program.ts';

export type Loaders = Readonly<Record<string, LoadedGroup['load']>>;

const [yourself, marketplace, records, log, servers] = [
  'Sign-in',
  'Marketplace',
  'Records',
  'Audit',
  'Operation',
] as const;

/** In the order of the help. */
export const contents: readonly Group[] = [
  {
    commands: {
      login: 'sign in, so that the audit log says who does what',
      logout: 'sign out',
      whoami: 'show who is signed in',
    },
    inContents: 'sign in, so that the audit log names you',
    heading: yourself,
  },
  {
    commands: { organization: 'create, find, change and close; who administers them' },
    heading: marketplace,
  },
  {
    commands: { user: 'accounts, their roles and sessions' },
    heading: marketplace,
  },
  {
    commands: {
      addon: 'register, show, change, suspend and retire add-ons',
      publisher: 'publishers of add-ons, and what their members do with these',
    },
    inContents: 'register, change, retire; who offers them',
    heading: marketplace,
  },
  {
    commands: { activation: "switch an organization's add-ons on and off" },
    heading: marketplace,
  },
  {
    commands: { signals: 'list, create and show signal streams' },
    heading: marketplace,
  },
  {
    commands: { grant: 'list, show and revoke grants of add-ons' },
    heading: marketplace,
  },
  {
    commands: { import: 'import records from NDJSON' },
    heading: records,
  },
  {
    commands: { profile: "erase a person's profile" },
    heading: records,
  },
  {
    commands: { audit: 'query, export and verify the audit log' },
    heading: log,
  },
  {
    commands: { history: 'archive old months of the timeline' },
    heading: log,
  },
  {
    commands: { log: 'copy the whole log to another event store' },
    heading: log,
  },
  {
    commands: { doctor: 'check what the service depends on, with advice' },
    heading: servers,
  },
  {
    commands: { migrate: 'migrate the database, create the Kafka topics' },
    heading: servers,
  },
  {
    commands: { projections: 'rebuild, verify and swap in read models' },
    heading: servers,
  },
  {
    commands: { parked: 'events that could not be decoded or applied' },
    heading: servers,
  },
  {
    commands: { keys: 'rotate signing keys; back up keys of personal data' },
    heading: servers,
  },
  {
    commands: { kafka: 'topics, relay and ingest; dead letters' },
    heading: servers,
  },
  {
    commands: { eventstore: 'run only the embedded event store node' },
    heading: servers,
  },
];

/** The first command of a group names it. @throws where a group has nothing to load: a group was forgotten */
export const withLoaders = (loaders: Loaders): readonly LoadedGroup[] =>
  contents.map((group) => {
    const name = Object.keys(group.commands)[0] ?? '';
    const load = loaders[name];
    if (!load) throw new Error(`the group ${name} has no commands`);
    return { ...group, load };
  });
