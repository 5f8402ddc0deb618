import type { SentenceContext } from '../describe-event.ts';
import { breakGlass, isUserId } from '../kernel/actor.ts';

export const auditQueries = [
  'organizations',
  'timeline',
  'grants',
  'replay',
  'as-of',
  'exposure',
  'export',
] as const;

type AuditQueried = {
  readonly organizationId: string | null;
  readonly query: (typeof auditQueries)[number];
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
};

/** Who looked at what, without the places of pages: "Ada Ahoi looked at what Door Sync could see, 1–30 October 2026." */
export const auditQuerySentence = (
  { organizationId, query, parameters }: AuditQueried,
  context: SentenceContext,
): string => {
  const { words, streamId } = context;
  const t = words.searches;
  const given = new Map(parameters.map(({ name, value }) => [name, value]));
  const shown = <T>(name: string, show: (value: string) => T): T | null => {
    const value = given.get(name);
    return value === undefined ? null : show(value);
  };
  const organization = organizationId && context.organization(organizationId);
  const addon = shown('addon', context.addon);
  const what = (): string => {
    switch (query) {
      case 'organizations':
      case 'export':
        return t[query];
      case 'timeline':
        return given.get('view') === 'log' ? t.log : t.timeline(organization);
      case 'grants':
        return t.grants(organization, shown('days', Number));
      case 'replay':
        return t.replay(given.get('stream') ?? '');
      case 'as-of':
        return t.asOf(organization);
      case 'exposure':
        return t.exposure(addon ?? '', organization);
      default: // in documents
        return query;
    }
  };
  const about = [
    query === 'exposure' ? null : addon,
    shown('user', context.user),
    shown('grant', context.grant),
  ].filter((one) => one !== null);
  const kinds: Readonly<Record<string, string>> = words.kinds;
  const parts = [
    about.length === 0 ? null : t.about(about.join(', ')),
    shown('type', (types) =>
      t.kinds(
        types
          .split('+')
          .map((type) => kinds[type] ?? type)
          .join(', '),
      ),
    ),
    shown('actor', (actor) => t.actsOf(actorIn(actor, context))),
    shown('records', () => t.records),
    shown('at', (at) => t.at(context.period(at, at))),
    shown('position', (position) => t.at(position)),
    periodOf(given.get('from'), given.get('to') ?? given.get('until'), context),
    query === 'exposure' ? shown('days', (days) => t.daysBefore(Number(days))) : null,
  ].filter((part) => part !== null);
  const who = isUserId(streamId.replace('_', '-')) ? context.user(streamId) : null;
  return words.AuditQueried(who, [what(), ...parts].join(', '));
};

const actorIn = (actor: string, { addon, user }: SentenceContext): string => {
  if (actor === breakGlass) return actor;
  return actor.startsWith('addon:') ? addon(actor.slice('addon:'.length)) : user(actor);
};

/** Of times, or of places in the log or in a stream. */
const periodOf = (
  from: string | undefined,
  to: string | undefined,
  { words: { searches }, period }: SentenceContext,
): string | null => {
  const isTime = (text = '') => /^\d{4}-/.test(text);
  if (from !== undefined && to !== undefined && isTime(from) && isTime(to)) return period(from, to);
  const shown = (at: string | undefined) => (at === undefined ? null : isTime(at) ? period(at, at) : at);
  return from === undefined && to === undefined ? null : searches.between(shown(from), shown(to));
};
