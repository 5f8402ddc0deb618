import { eventsByCategory, type EventType, typesWithSubjects } from '../../../domain/events.ts';
import { markName, sentenceOf } from '../../../domain/kernel/sentence.ts';
import type { ParameterError } from '../../contracts/problem.ts';
import { alert, field, link, nameOf, tabs, type FormField } from '../../pages/components.ts';
import { filled, markup, sentenceHtml, type Html, type Part } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type PageView } from '../../pages/render.ts';
import type { Params } from '../../requests/params.ts';
import type { Reader } from '../../words/reader.ts';
import type { QuestionName } from '../question.ts';
import type { Choice } from '../with-people.ts';

export type QuestionsView = PageView & {
  readonly organization: { readonly organizationId: string; readonly name: string };
  /** Of the organization, at the address of their own; otherwise for its auditors. */
  readonly forAdministrators: boolean;
  readonly fields: readonly FormField[];
  readonly problems: readonly { readonly parameter: string; readonly allowed: string }[];
  /** Where a filter names several people. */
  readonly choice: Choice | null;
  readonly now: number;
};

type Headings = Reader['words']['auditLog']['headings'];

type HistoryFrame = {
  readonly here: keyof Headings;
  readonly title?: (reader: Reader) => string;
  readonly isUnfiltered?: true;
};

/** The auditors' pages about one organization, by which a tab is current. */
const paths: Readonly<Record<keyof Headings, string>> = {
  history: '/audit',
  grants: '/audit/grants',
  exposure: '/audit/exposure',
  unused: '/audit/unused',
  log: '/audit/log',
  questions: '/audit/questions',
};
const views = Object.keys(paths) as readonly (keyof Headings)[];

/** A page about one organization's audit log: the head, unless `isUnfiltered` the filters, and its own part. */
export const historyPage = <View extends QuestionsView>(
  { here, title, isUnfiltered }: HistoryFrame,
  body: (view: View) => Part,
  more: (view: View) => object = () => ({}),
) =>
  page<View>(
    ({ reader, organization }) => title?.(reader) ?? reader.words.auditLog.headings[here](organization.name),
    (
      view,
    ) => markup`<h1>${said(view.reader.words.auditLog.headings[here](markName(view.organization.name)))}</h1>
${!view.forAdministrators && viewTabs(view, here)}${problemsOf(view, hereOf(view, paths[here]))}${!isUnfiltered && filterForm(view, hereOf(view, paths[here]))}${view.choice === null && body(view)}`,
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

const viewTabs = (view: QuestionsView, here: keyof Headings): Html => {
  const { auditLog } = view.reader.words;
  return tabs(
    view.reader,
    auditLog.views,
    views.map((name) => ({
      href: auditHref(view, paths[name]),
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
      markup`<p>${t.cannotBeShown}</p><ul>${problems.map(({ parameter, allowed }) => markup`<li>${filled((slot) => t.allowedFor(slot(markup`<code>${parameter}</code>`), allowed))}</li>`)}</ul>`,
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
const filterForm = (view: QuestionsView, here: string): Html => {
  const { fields, forAdministrators, organization, reader } = view;
  const t = reader.words.auditLog;
  const isMore = ({ name }: FormField) => moreFields.includes(name);
  const shown = (some: readonly FormField[]) => some.map((one) => markup`<div>${field(one)}</div>`);
  const more = fields.filter(isMore);
  const isOpen = more.some(({ value }) => value !== '');
  const all = forAdministrators ? here : auditHref(view, here.slice(view.base.length));
  return markup`<form class="filters" method="get" action="${here}" role="search">
${!forAdministrators && markup`<input type="hidden" name="organization" value="${organization.organizationId}">`}${shown(fields.filter((one) => !isMore(one)))}
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
    sent.set('from', new Date(now - days * day).toISOString().slice(0, 10));
    return `${path}?${sent.toString()}`;
  };
  const links = [0, 7, 30, 90].map((days) => markup`<a href="${to(days)}">${t.presets(days)}</a> · `);
  return markup`<p class="small unprinted">${links}<span class="soft">${t.daysInUtc}</span></p>`;
};

/** Where administrators read their organization's history, under `base`. */
export const historyOf = ({ organizationId }: { readonly organizationId: string }): string =>
  `/admin/organizations/${organizationId}/timeline`;

type Known = { readonly addonId: string; readonly name: string };

/** The filters of a page with the values that were sent, without parameters that are no filters. */
export const filterFields = (
  reader: Reader,
  names: readonly QuestionName[],
  query: Params,
  addons: readonly Known[],
  errors: readonly ParameterError[],
): readonly FormField[] =>
  names.flatMap((name): readonly FormField[] => {
    const t = reader.words.auditLog;
    if (!isFilter(t.filters, name)) return [];
    const value = (query.get(name)?.[0] ?? '').slice(0, 100);
    const allowed = errors.find(({ parameter }) => parameter === name)?.allowed;
    const options = optionsOf(reader, name, addons);
    const isDate = (name === 'from' || name === 'to') && /^(?:\d{4}-\d{2}-\d{2})?$/.test(value);
    return [
      {
        id: name,
        name,
        kind: options ? 'choice' : isDate ? 'date' : 'text',
        ...t.filters[name],
        value,
        problem: allowed === undefined ? null : t.allowedIs(allowed),
        ...(options && { options: [{ value: '', label: t.all }, ...options] }),
      },
    ];
  });

const isFilter = <Filters extends object>(filters: Filters, name: string): name is keyof Filters & string =>
  Object.hasOwn(filters, name);

const optionsOf = (reader: Reader, name: QuestionName, addons: readonly Known[]): FormField['options'] => {
  if (name === 'addon') return addons.map(({ addonId, name: label }) => ({ value: addonId, label }));
  if (name !== 'type') return undefined;
  const { words } = reader;
  const options = typesWithSubjects.map((type) => ({
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
