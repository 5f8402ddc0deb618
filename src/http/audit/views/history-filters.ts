import { eventsByCategory, type EventType, typesWithSubjects } from '../../../domain/events.ts';
import { markName, sentenceOf, textOf } from '../../../domain/kernel/sentence.ts';
import type { ParameterError } from '../../contracts/problem.ts';
import { alert, field, link, nameOf, tabs, type FormField } from '../../pages/components.ts';
import { filled, markup, sentenceHtml, type Html, type Part } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type PageView } from '../../pages/render.ts';
import type { Params } from '../../requests/params.ts';
import type { Reader } from '../../words/reader.ts';
import type { QuestionName } from '../question.ts';
import type { Choice } from '../with-people.ts';

export type Addon = { readonly addonId: string; readonly name: string };

type Problem = Pick<ParameterError, 'parameter' | 'allowed'> & {
  /** In place of what is allowed. */
  readonly why?: string;
};

export type QuestionsView = PageView & {
  readonly organization: { readonly organizationId: string; readonly name: string };
  /** Of the organization, at the address of their own; otherwise for its auditors. */
  readonly forAdministrators: boolean;
  readonly fields: readonly FormField[];
  readonly problems: readonly Problem[];
  /** Of the organization. */
  readonly addons: readonly Addon[];
  /** Where a filter names several people. */
  readonly choice: Choice | null;
  readonly now: number;
};

/** A tab. */
type Here = keyof Reader['words']['auditLog']['headings'];

type HistoryFrame = {
  readonly here: Here;
  readonly title?: (reader: Reader) => string;
  readonly isUnfiltered?: true;
};

/** The auditors' pages about one organization, by which a tab is current. */
const paths: Readonly<Record<Here, string>> = {
  questions: '/audit/questions',
  history: '/audit',
  searches: '/audit',
  grants: '/audit/grants',
  exposure: '/audit/exposure',
  unused: '/audit/unused',
  log: '/audit/log',
};
const views = Object.keys(paths) as readonly Here[];
const ofAdministrators = ['history', 'searches'] as const;

/** Searches of the log are a tab of their own: the same page with this filter (FX-97). */
const searches = { type: 'AuditQueried' } as const;

const hereIn = ({ fields }: QuestionsView, here: Here): Here =>
  fields.some(({ name, value }) => name === 'type' && value === searches.type) ? 'searches' : here;

/** A page about one organization's audit log: the head, unless `isUnfiltered` the filters, and its own part. */
export const historyPage = <View extends QuestionsView>(
  { here, title, isUnfiltered }: HistoryFrame,
  body: (view: View) => Part,
  more: (view: View) => object = () => ({}),
) =>
  page<View>(
    (view) =>
      title?.(view.reader) ?? view.reader.words.auditLog.headings[hereIn(view, here)](view.organization.name),
    (
      view,
    ) => markup`<h1>${said(view.reader.words.auditLog.headings[hereIn(view, here)](markName(view.organization.name)))}</h1>
${viewTabs(view, hereIn(view, here))}${problemsOf(view, hereOf(view, paths[here]))}${!isUnfiltered && filterForm(view, hereIn(view, here))}${view.choice === null && body(view)}`,
    (view) => ({ wide: true, crumbs: crumbsOf(view), ...more(view) }),
  );

export const said = (text: string): Html => sentenceHtml(sentenceOf(text));

const crumbsOf = ({ forAdministrators, organization, reader }: QuestionsView): readonly Crumb[] =>
  forAdministrators
    ? [
        { href: '/admin', label: reader.words.frame.areas.organizations },
        { href: `/admin/organizations/${organization.organizationId}`, label: organization.name },
      ]
    : [{ href: '/audit', label: reader.words.auditLog.title }];

const hereOf = (view: QuestionsView, here: string): string =>
  view.base + (view.forAdministrators ? historyOf(view.organization) : here);

/** An address of an auditor's view of the organization, complete. */
export const auditHref = (
  { base, organization }: Pick<QuestionsView, 'base' | 'organization'>,
  path: string,
  more: Readonly<Record<string, string>> = {},
): string =>
  `${base}${path}?${new URLSearchParams({ organization: organization.organizationId, ...more }).toString()}`;

/** Without filters, complete. */
const addressOf = (view: QuestionsView, here: Here): string => {
  const filter = here === 'searches' ? searches : {};
  if (!view.forAdministrators) return auditHref(view, paths[here], filter);
  const query = new URLSearchParams(filter).toString();
  return `${view.base}${historyOf(view.organization)}${query && `?${query}`}`;
};

const viewTabs = (view: QuestionsView, here: Here): Html => {
  const { auditLog } = view.reader.words;
  return tabs(
    view.reader,
    auditLog.views,
    (view.forAdministrators ? ofAdministrators : views).map((name) => ({
      href: addressOf(view, name),
      label: auditLog.tabs[name],
      isCurrent: name === here,
    })),
  );
};

const problemsOf = (view: QuestionsView, here: string): Part => {
  const { problems, choice, reader } = view;
  const t = reader.words.auditLog;
  if (choice) return chooseOne(view, choice, here);
  return (
    problems.length > 0 &&
    alert(
      markup`<p>${t.cannotBeShown}</p><ul>${problems.map(({ parameter, allowed, why }) => markup`<li>${why === undefined ? filled((slot) => t.allowedFor(slot(markup`<code>${parameter}</code>`), allowed)) : said(why)}</li>`)}</ul>`,
    )
  );
};

const chooseOne = (view: QuestionsView, { text, parameter, ids, others }: Choice, here: string): Html => {
  const { forAdministrators, organization, reader } = view;
  const common = { ...(!forAdministrators && { organization: organization.organizationId }), ...others };
  const hrefOf = (id: string) => `${here}?${new URLSearchParams({ ...common, [parameter]: id }).toString()}`;
  return alert(markup`<p>${said(reader.words.auditLog.several(markName(text)))}</p>
<ul>${ids.map((id) => markup`<li>${link(hrefOf(id), nameOf(text))} <code class="id">${id}</code></li>`)}</ul>`);
};

const moreFields = ['user', 'grant', 'actor'];

/** A GET form, so that the address contains the whole query. */
const filterForm = (view: QuestionsView, here: Here): Html => {
  const { forAdministrators, organization, reader } = view;
  const fields = view.fields.filter(({ name }) => here !== 'searches' || name !== 'type');
  const t = reader.words.auditLog;
  const isMore = ({ name }: FormField) => moreFields.includes(name);
  const shown = (some: readonly FormField[]) => some.map((one) => markup`<div>${field(one)}</div>`);
  const more = fields.filter(isMore);
  const isOpen = more.some(({ value }) => value !== '');
  const all = addressOf(view, here);
  const hidden = (name: string, value: string) =>
    markup`<input type="hidden" name="${name}" value="${value}">`;
  return markup`<form class="filters" method="get" action="${hereOf(view, paths[here])}" role="search">
${!forAdministrators && hidden('organization', organization.organizationId)}${here === 'searches' && hidden('type', searches.type)}${shown(fields.filter((one) => !isMore(one)))}
<div class="actions"><button type="submit">${t.show}</button><a href="${all}">${t.everything}</a></div>
${more.length > 0 && markup`<details class="more"${isOpen && markup` open`}><summary>${t.byPerson}</summary><div class="filters">${shown(more)}</div></details>`}
</form>
${fields.some(({ name }) => name === 'from') && presets(view, all)}`;
};

const day = 86_400_000;

/** The last days, with the other filters. */
const presets = ({ fields, now, reader }: QuestionsView, all: string): Html => {
  const t = reader.words.auditLog;
  const others = fields.filter(({ name, value }) => !['from', 'to'].includes(name) && value !== '');
  const to = (days: number) => {
    const [path = '', query] = all.split('?');
    const sent = new URLSearchParams(query);
    for (const { name, value } of others) sent.set(name, value);
    sent.set('from', new Date(Date.parse(reader.dateOf(now)) - days * day).toISOString().slice(0, 10));
    return `${path}?${sent.toString()}`;
  };
  const links = [0, 7, 30, 90].map(
    (days, index) => markup`${index > 0 && ' · '}<a href="${to(days)}">${t.presets(days)}</a>`,
  );
  return markup`<p class="small unprinted">${links}</p>`;
};

/** Where administrators read their organization's history, under `base`. */
export const historyOf = ({ organizationId }: { readonly organizationId: string }): string =>
  `/admin/organizations/${organizationId}/timeline`;

/** The filters of a page with the values that were sent, without parameters that are no filters. */
export const filterFields = (
  reader: Reader,
  names: readonly QuestionName[],
  query: Params,
  addons: readonly Addon[],
  problems: readonly Problem[],
): readonly FormField[] =>
  names.flatMap((name): readonly FormField[] => {
    const t = reader.words.auditLog;
    if (!isFilter(t.filters, name)) return [];
    const sent = (query.get(name)?.[0] ?? '').slice(0, 100);
    const value = name === 'from' || name === 'to' ? dateIn(reader, name, sent) : sent;
    const problem = problems.find(({ parameter }) => parameter === name);
    const options = optionsOf(reader, name, addons, value);
    const isDate = (name === 'from' || name === 'to') && /^(?:\d{4}-\d{2}-\d{2})?$/.test(value);
    return [
      {
        id: name,
        name,
        kind: options ? 'choice' : isDate ? 'date' : 'text',
        ...t.filters[name],
        value,
        problem: problem ? textOf(sentenceOf(problem.why ?? t.allowedIs(problem.allowed))) : null,
        ...(options && { options: [{ value: '', label: t.all }, ...options] }),
      },
    ];
  });

/** The first or the last moment of a day. @param date `2026-05-03` */
export const edgeOf = ({ startOf }: Pick<Reader, 'startOf'>, name: string, date: string): number =>
  name === 'from' ? startOf(date) : startOf(new Date(Date.parse(date) + day).toISOString().slice(0, 10)) - 1;

/** A link to another page of an answer has the moments: the days that they are the edges of. */
const dateIn = (reader: Reader, name: 'from' | 'to', sent: string): string => {
  const at = /T.*Z$/.test(sent) ? Date.parse(sent) : NaN;
  if (Number.isNaN(at)) return sent;
  const date = reader.dateOf(at);
  return at === edgeOf(reader, name, date) ? date : sent;
};

const isFilter = <Filters extends object>(filters: Filters, name: string): name is keyof Filters & string =>
  Object.hasOwn(filters, name);

const optionsOf = (
  reader: Reader,
  name: QuestionName,
  addons: readonly Addon[],
  value: string,
): FormField['options'] => {
  if (name === 'addon') return addons.map(({ addonId, name: label }) => ({ value: addonId, label }));
  if (name !== 'type') return undefined;
  const { words } = reader;
  const events = typesWithSubjects.filter((type) => type !== searches.type || type === value);
  const options = events.map((type) => ({
    value: type,
    label: (words.events.kinds as Readonly<Record<string, string>>)[type] ?? type,
    group: words.auditLog.groups[groupOf(type)],
  }));
  const inOrder = Object.values(words.auditLog.groups);
  return options.toSorted(
    (a, b) =>
      inOrder.indexOf(a.group) - inOrder.indexOf(b.group) || a.label.localeCompare(b.label, words.locale),
  );
};

type Group = keyof Reader['words']['auditLog']['groups'];

const groups: Readonly<Partial<Record<keyof typeof eventsByCategory, Group>>> = {
  consent: 'access',
  grant: 'access',
  activation: 'activations',
  organization: 'organization',
  externalId: 'organization',
  addon: 'addons',
  publisher: 'addons',
  session: 'signIn',
  signalStream: 'signals',
  audit: 'log',
  deadLetters: 'log',
};

/** By the streams that hold the events; those of accounts, and all that belongs to them, are about people. */
const groupOf = (type: EventType): Group => {
  const found = Object.entries(eventsByCategory).find(([, types]) => Object.hasOwn(types, type));
  return groups[found?.[0] as keyof typeof eventsByCategory] ?? 'people';
};
