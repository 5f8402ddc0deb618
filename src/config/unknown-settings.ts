import { isSecret, type SettingName, settingNames } from './settings.ts';

/** Prefixes of names that can only be meant for Grantbook. */
const FAMILIES = [
  'ALLOW_INSECURE_',
  'RATE_LIMIT_',
  'REFRESH_',
  'ACCESS_TOKEN_',
  'CODE_TTL',
  'TOKEN_KEY',
  'KAFKA_TOPIC_',
  'KAFKA_TLS',
  'KAFKA_SASL_',
];

/** Names that look like ours but are not: a typo must not silently leave a default in place. */
export function unknownSettings(names: readonly string[]): readonly string[] {
  return names.flatMap((name) => problemOf(name) ?? []);
}

function problemOf(name: string): string | null {
  if (isKnown(name)) return null;
  const base = name.replace(/_FILE$/, '');
  if (isSettingName(base)) return `${name}: only secrets come from a file; set ${base} itself`;
  const closest = closestTo(base);
  if (closest) return `${name}: unknown setting; did you mean ${closest}?`;
  if (!FAMILIES.some((family) => name.startsWith(family))) return null;
  return `${name}: unknown setting; allowed: ${settingNames.filter((known) => sharesFamily(known, name)).join(', ')}`;
}

const isSettingName = (name: string): name is SettingName =>
  (settingNames as readonly string[]).includes(name);

const isKnown = (name: string): boolean => {
  const base = name.replace(/_FILE$/, '');
  return isSettingName(name) || (isSettingName(base) && isSecret(base));
};

const sharesFamily = (known: string, name: string): boolean =>
  FAMILIES.some((family) => known.startsWith(family) && name.startsWith(family));

/** Short names resemble many others (HOST, HOME), so they may differ by only one letter. */
const closestTo = (name: string): SettingName | undefined =>
  settingNames.find((known) => {
    const most = known.length < 8 ? 1 : 2;
    return Math.abs(known.length - name.length) <= most && distance(known, name) <= most;
  });

/** The number of letters to add, remove, change, or swap with a neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Infinity;
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= b.length; j++) {
      const change = at(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(change, at(i - 1, j) + 1, at(i, j - 1) + 1, isSwap ? at(i - 2, j - 2) + 1 : Infinity),
      );
    }
  }
  return at(a.length, b.length);
}
