import type { EventType } from '../../../domain/events.ts';
import { typesWithSubjects } from '../../../domain/events.ts';
import type { ParameterError } from '../../contracts/problem.ts';
import { alert, field, tabs, type FormField } from '../../pages/components.ts';
import { english } from '../../pages/words.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type PageView } from '../../pages/render.ts';
import type { Params } from '../../requests/params.ts';
import type { QuestionName } from '../question.ts';

export type QuestionsView = PageView & {
  readonly organization: { readonly organizationId: string; readonly name: string };
  /** Of the organization, at the address of their own; otherwise for its auditors. */
  readonly forAdministrators: boolean;
  readonly fields: readonly FormField[];
  readonly problems: readonly { readonly parameter: string; readonly allowed: string }[];
  readonly now: number;
};

type HistoryFrame = {
  /** The path of the auditors' page, by which its tab is current. */
  readonly here: string;
  readonly heading: string;
  readonly title?: string;
  readonly isUnfiltered?: true;
};

/** The views of one organization's audit log. */
const views: readonly (readonly [path: string, label: string])[] = [
  ['/audit', 'What happened'],
  ['/audit/grants', 'Grants over time'],
  ['/audit/exposure', 'What was read'],
  ['/audit/unused', 'Unused access'],
  ['/audit/log', 'The log'],
  ['/audit/questions', 'Five questions'],
];

/** A page about one organization's audit log: the head, unless `isUnfiltered` the filters, and its own part. */
export const historyPage = <View extends QuestionsView>(
  frame: HistoryFrame,
  body: (view: View) => Part,
  more: (view: View) => object = () => ({}),
) =>
  page<View>(
    ({ organization }) => frame.title ?? `${frame.heading} ${organization.name}`,
    (view) => markup`<h1>${frame.heading} <bdi>${view.organization.name}</bdi></h1>
${!view.forAdministrators && viewTabs(view, frame.here)}${problemsOf(view)}${!frame.isUnfiltered && filterForm(view, hereOf(view, frame.here))}${body(view)}`,
    (view) => ({ wide: true, crumbs: crumbsOf(view), ...more(view) }),
  );

const crumbsOf = ({ forAdministrators, organization }: QuestionsView): readonly Crumb[] =>
  forAdministrators
    ? [
        { href: '/admin', label: 'Organizations' },
        { href: `/admin/organizations/${organization.organizationId}`, label: organization.name },
      ]
    : [{ href: '/audit', label: 'Audit logs' }];

const hereOf = (view: QuestionsView, here: string): string =>
  view.base + (view.forAdministrators ? historyOf(view.organization) : here);

/** An address of an auditor's view of the organization, complete. */
export const auditHref = (
  { base, organization }: Pick<QuestionsView, 'base' | 'organization'>,
  path: string,
  more: Readonly<Record<string, string>> = {},
): string =>
  `${base}${path}?${new URLSearchParams({ organization: organization.organizationId, ...more }).toString()}`;

const viewTabs = (view: QuestionsView, here: string): Html =>
  tabs(
    english(),
    'Views',
    views.map(([path, label]) => ({ href: auditHref(view, path), label, isCurrent: path === here })),
  );

const problemsOf = ({ problems }: QuestionsView): Part =>
  problems.length > 0 &&
  alert(
    markup`<p>This cannot be shown:</p><ul>${problems.map(({ parameter, allowed }) => markup`<li><code>${parameter}</code>: allowed is ${allowed}.</li>`)}</ul>`,
  );

/** Filters that take ids, which links on the page fill in. */
const idFields = ['user', 'grant', 'actor'];

/** A GET form, so that the address contains the whole query. */
const filterForm = (view: QuestionsView, here: string): Html => {
  const { fields, forAdministrators, organization } = view;
  const isMore = ({ name }: FormField) => idFields.includes(name);
  const shown = (some: readonly FormField[]) => some.map((one) => markup`<div>${field(one)}</div>`);
  const more = fields.filter(isMore);
  const isOpen = more.some(({ value }) => value !== '');
  const all = forAdministrators ? here : auditHref(view, here.slice(view.base.length));
  return markup`<form class="filters" method="get" action="${here}" role="search">
${!forAdministrators && markup`<input type="hidden" name="organization" value="${organization.organizationId}">`}${shown(fields.filter((one) => !isMore(one)))}
<div class="actions"><button type="submit">Show</button><a href="${all}">Everything</a></div>
${more.length > 0 && markup`<details class="more"${isOpen && markup` open`}><summary>By id</summary><div class="filters">${shown(more)}</div></details>`}
</form>
${fields.some(({ name }) => name === 'from') && presets(view, all)}`;
};

const day = 86_400_000;

/** The last days, with the other filters. */
const presets = ({ fields, now }: QuestionsView, all: string): Html => {
  const others = fields.filter(({ name, value }) => !['from', 'to'].includes(name) && value !== '');
  const to = (days: number) => {
    const [path = '', query] = all.split('?');
    const sent = new URLSearchParams(query);
    for (const { name, value } of others) sent.set(name, value);
    sent.set('from', new Date(now - days * day).toISOString().slice(0, 10));
    return `${path}?${sent.toString()}`;
  };
  const labels = [
    [0, 'Today'],
    [7, '7 days'],
    [30, '30 days'],
    [90, '90 days'],
  ] as const;
  return markup`<p class="small unprinted">${labels.map(([days, label]) => markup`<a href="${to(days)}">${label}</a> · `)}<span class="soft">Times are in UTC.</span></p>`;
};

/** Where administrators read their organization's history, under `base`. */
export const historyOf = ({ organizationId }: { readonly organizationId: string }): string =>
  `/admin/organizations/${organizationId}/timeline`;

type Known = { readonly addonId: string; readonly name: string };
type Described = { readonly label: string; readonly hint: string | null };

const anId = 'An id: 26 digits and capital letters.';

const described: Readonly<Partial<Record<QuestionName, Described>>> = {
  addon: { label: 'Add-on', hint: null },
  user: { label: 'User', hint: anId },
  grant: { label: 'Grant', hint: anId },
  type: { label: 'Event', hint: null },
  actor: { label: 'Who acted', hint: 'The id of a user, break-glass, operator, or addon: and a client_id.' },
  from: { label: 'From', hint: null },
  to: { label: 'To', hint: null },
  days: { label: 'Days without use', hint: 'Default: 90.' },
};

/** The filters of a page with the values that were sent, without parameters that are no filters. */
export const filterFields = (
  names: readonly QuestionName[],
  query: Params,
  addons: readonly Known[],
  errors: readonly ParameterError[],
): readonly FormField[] =>
  names.flatMap((name): readonly FormField[] => {
    const words = described[name];
    if (!words) return [];
    const value = (query.get(name)?.[0] ?? '').slice(0, 100);
    const allowed = errors.find(({ parameter }) => parameter === name)?.allowed;
    const options = optionsOf(name, addons);
    const isDate = (name === 'from' || name === 'to') && /^(?:\d{4}-\d{2}-\d{2})?$/.test(value);
    return [
      {
        id: name,
        name,
        kind: options ? 'choice' : isDate ? 'date' : 'text',
        ...words,
        value,
        problem: allowed === undefined ? null : `Allowed: ${allowed}`,
        ...(options && { options: [{ value: '', label: 'All' }, ...options] }),
      },
    ];
  });

const optionsOf = (name: QuestionName, addons: readonly Known[]): FormField['options'] => {
  if (name === 'addon') return addons.map(({ addonId, name: label }) => ({ value: addonId, label }));
  if (name !== 'type') return undefined;
  return typesWithSubjects
    .map((type) => ({ value: type, label: typeWords(type) }))
    .toSorted((a, b) => a.label.localeCompare(b.label, 'en'));
};

/** `AddonActivated` as "Add-on activated". */
const typeWords = (type: EventType): string => {
  const words = type.replaceAll(/(?<=[a-z])([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/\baddon\b/i, (word) => (word === 'Addon' ? 'Add-on' : 'add-on'));
};
