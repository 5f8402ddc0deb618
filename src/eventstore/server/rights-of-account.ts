/** What the account of EVENTSTORE_URL needs, with the entry of an access control list that grants it. */
export const rights = {
  append: { name: 'append to streams', acl: '$w' },
  read: { name: 'read streams', acl: '$r' },
  'read-all': { name: 'read $all', acl: '$r' },
  'write-metadata': { name: 'write the metadata of streams', acl: '$mw' },
  'read-metadata': { name: 'read the metadata of streams', acl: '$mr' },
  delete: { name: 'delete streams', acl: '$d' },
} as const;

export type Right = keyof typeof rights;

/** Without them requests fail; without the others only readiness sees less, or retention does not remove anything. */
export const neededByRequests: readonly Right[] = ['append', 'read', 'read-all'];

export const everyRight = Object.keys(rights) as readonly Right[];

const section = 'docs/how-to/prepare-the-servers.md, "The account at the event store"';

/** The command with which an administrator of the event store grants it. */
export const adviceToGrant = (missing: readonly Right[], user: string): string => {
  const entries = missing.filter((right) => right !== 'read-all').map((right) => rights[right].acl);
  const commands = [
    ...(missing.includes('read-all')
      ? [`setStreamMetadata('$all', { acl: { readRoles: ['$admins', '${user}'] } })`]
      : []),
    ...(entries.length > 0
      ? [
          `append ${JSON.stringify({ $userStreamAcl: Object.fromEntries(entries.map((acl) => [acl, ['$admins', user]])) })} to $settings`,
        ]
      : []),
  ];
  if (commands.length === 0) return `see ${section}; \`grantbook doctor\` names it`;
  return `grant it as an administrator of the event store: ${commands.join(', and ')} (${section}, has the whole command)`;
};
