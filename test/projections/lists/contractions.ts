/** Statements after which a version that does not know the migration can no longer write, or no longer finds what it reads. */
const contracting: readonly RegExp[] = [
  /\bdrop\s+(?:table|column|index|constraint|view|materialized|schema|type|domain|function|sequence|default|expression|identity)\b/,
  /\balter\s+table\s.*\bdrop\s/,
  /\brename\b/,
  /\bset\s+schema\b/,
  /\balter\s+(?:column\s+)?\S+\s+(?:set\s+data\s+)?type\b/,
  /\bset\s+not\s+null\b/,
  /\badd\s+(?:column\s+)?(?!.*\bdefault\b).*\bnot\s+null\b/,
  /\badd\s+(?:constraint|check|unique|primary|foreign|exclude)\b/,
  /\bcreate\s+unique\s+index\b/,
  /\bcreate\s+(?:or\s+replace\s+)?(?:constraint\s+)?(?:trigger|rule|policy)\b/,
  /\b(?:enable|force)\s+row\s+level\s+security\b/,
  /^\s*(?:truncate|delete\s+from|revoke)\b/,
];

const withoutComments = (sql: string): string =>
  sql.replaceAll(/\/\*[\s\S]*?\*\//g, ' ').replaceAll(/--[^\n]*/g, ' ');

/** Each action of an `alter table` by itself: a default of one column excuses no other. */
const actionsOf = (statement: string): readonly string[] => {
  const [, table, actions] = /^(\s*alter\s+table\s+(?:only\s+)?\S+\s)([\s\S]*)$/.exec(statement) ?? [];
  return table === undefined || actions === undefined
    ? [statement]
    : actions.split(/,(?=\s*(?:add|alter|drop|rename)\b)/).map((action) => table + action);
};

/** What a migration takes away from the version before it; what it does to tables of its own takes nothing away. */
export const contractionsIn = (sql: string): readonly string[] => {
  const statements = withoutComments(sql)
    .toLowerCase()
    .split(';')
    .map((statement) => statement.replaceAll(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '');
  const own = statements.flatMap(
    (statement) => /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(statement)?.[1] ?? [],
  );
  const isOwn = (statement: string) =>
    own.some((table) => new RegExp(`\\b(?:alter table|on|truncate|delete from) ${table}\\b`).test(statement));
  return statements
    .filter((statement) => !isOwn(statement))
    .flatMap(actionsOf)
    .filter((action) => contracting.some((pattern) => pattern.test(action)));
};
