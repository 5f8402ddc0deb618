import { typesWithSubjects } from '../../../domain/events.ts';
import type { ParameterError } from '../../contracts/problem.ts';
import { page } from '../../pages/render.ts';
import type { Params } from '../../requests/params.ts';
import type { QuestionName } from '../question.ts';
import { historyStylesheetPath } from './history-stylesheet.ts';

/** One field of a filter form, with the value that was sent, even a wrong one. */
export type FilterField = {
  readonly name: string;
  readonly label: string;
  readonly hint: string | null;
  readonly value: string;
  /** Why it was refused. */
  readonly problem: string | null;
  /** Options of a select field; it always has an empty one. Null for a text field. */
  readonly options: readonly { readonly value: string; readonly label: string }[] | null;
};

/** A GET form, so that the address contains the whole query. */
const filterForm = `<form class="card" method="get" action="<%= it.base %><%= it.here %>">
<h2 id="filters">Show only</h2>
<% if (!it.forAdministrators) { %><input type="hidden" name="organization" value="<%= it.organization.organizationId %>"><% } %>
<div class="filters">
<% it.fields.forEach((field) => { const described = [field.problem && field.name + '-problem', field.hint && field.name + '-hint'].filter(Boolean).join(' '); %>
<div>
<label class="field" for="<%= field.name %>"><%= field.label %></label>
<% if (field.options) { %>
<select id="<%= field.name %>" name="<%= field.name %>"<% if (described) { %> aria-describedby="<%= described %>"<% } %><% if (field.problem) { %> aria-invalid="true"<% } %>>
<option value="">All</option>
<% field.options.forEach(({ value, label }) => { %><option value="<%= value %>"<% if (value === field.value) { %> selected<% } %>><%= label %></option>
<% }) %></select>
<% } else { %>
<input type="text" id="<%= field.name %>" name="<%= field.name %>" value="<%= field.value %>" autocomplete="off" spellcheck="false"<% if (described) { %> aria-describedby="<%= described %>"<% } %><% if (field.problem) { %> aria-invalid="true"<% } %>>
<% } %>
<% if (field.problem) { %><p class="small wrong" id="<%= field.name %>-problem">Allowed: <%= field.problem %></p><% } %>
<% if (field.hint) { %><p class="soft small" id="<%= field.name %>-hint"><%= field.hint %></p><% } %>
</div>
<% }) %>
</div>
<div class="actions"><button type="submit">Show</button><a class="button plain" href="<%= it.base %><%= it.here %><% if (!it.forAdministrators) { %>?organization=<%= it.organization.organizationId %><% } %>">Everything</a></div>
</form>`;

/** Where the page stands, and the auditors' navigation between the views of one organization's audit log. */
const historyHead = `<p class="small"><% if (it.forAdministrators) { %><a href="<%= it.base %>/admin/organizations/<%= it.organization.organizationId %>">Add-ons of <bdi><%= it.organization.name %></bdi></a><% } else { %><a href="<%= it.base %>/audit">Organizations</a><% } %></p>
<h1><%= it.heading %> <bdi><%= it.organization.name %></bdi></h1>
<% if (!it.forAdministrators) { %><nav class="tabs" aria-label="Views">
<a href="<%= it.base %>/audit?organization=<%= it.organization.organizationId %>"<% if (it.here === '/audit') { %> aria-current="page"<% } %>>What happened</a>
<a href="<%= it.base %>/audit/grants?organization=<%= it.organization.organizationId %>"<% if (it.here === '/audit/grants') { %> aria-current="page"<% } %>>Grants over time</a>
<a href="<%= it.base %>/audit/exposure?organization=<%= it.organization.organizationId %>"<% if (it.here === '/audit/exposure') { %> aria-current="page"<% } %>>What was read</a>
<a href="<%= it.base %>/audit/unused?organization=<%= it.organization.organizationId %>"<% if (it.here === '/audit/unused') { %> aria-current="page"<% } %>>Unused access</a>
<a href="<%= it.base %>/audit/log?organization=<%= it.organization.organizationId %>"<% if (it.here === '/audit/log') { %> aria-current="page"<% } %>>The log</a>
<a href="<%= it.base %>/audit/questions?organization=<%= it.organization.organizationId %>"<% if (it.here === '/audit/questions') { %> aria-current="page"<% } %>>Five questions</a>
</nav><% } %>
<% if (it.problems.length > 0) { %><div class="alert" role="alert"><p>This cannot be shown:</p><ul>
<% it.problems.forEach(({ parameter, allowed }) => { %><li><code><%= parameter %></code>: allowed is <%= allowed %>.</li>
<% }) %></ul></div><% } %>`;

export type QuestionsView = {
  readonly base: string;
  readonly signedIn: string;
  readonly organization: { readonly organizationId: string; readonly name: string };
  /** Of the organization, at the address of their own; otherwise for its auditors. */
  readonly forAdministrators: boolean;
  readonly fields: readonly FilterField[];
  readonly problems: readonly { readonly parameter: string; readonly allowed: string }[];
};

/** A page about one organization's audit log: the head, unless `isUnfiltered` the form, and the template's own part. */
export const historyPage = <View extends QuestionsView>(
  { here, heading, title, isUnfiltered }: HistoryFrame,
  template: string,
  more: (view: View) => object = () => ({}),
) =>
  page<View>(
    ({ organization }) => title ?? `${heading} ${organization.name}`,
    `${historyHead}\n${isUnfiltered ? '' : `${filterForm}\n`}${template}`,
    (view) => ({
      wide: true,
      stylesheet: historyStylesheetPath,
      here: view.forAdministrators ? historyOf(view.organization) : here,
      heading,
      ...more(view),
    }),
  );

/** Where administrators read their organization's history, under `base`. */
export const historyOf = ({ organizationId }: { readonly organizationId: string }): string =>
  `/admin/organizations/${organizationId}/timeline`;

type HistoryFrame = {
  /** The path of the auditors' page, by which its tab is current. */
  readonly here: string;
  readonly heading: string;
  readonly title?: string;
  readonly isUnfiltered?: true;
};

type Known = { readonly addonId: string; readonly name: string };
type Described = Pick<FilterField, 'label' | 'hint'>;

const anId = 'An id: 26 digits and capital letters.';
const aTime = 'As 2026-05-03, or 2026-05-03T16:20:05Z.';

const described: Readonly<Partial<Record<QuestionName, Described>>> = {
  addon: { label: 'Add-on', hint: null },
  user: { label: 'User', hint: anId },
  grant: { label: 'Grant', hint: anId },
  type: { label: 'Event', hint: null },
  actor: { label: 'Who acted', hint: 'The id of a user, break-glass, operator, or addon: and a client_id.' },
  from: { label: 'From', hint: aTime },
  to: { label: 'To', hint: aTime },
  days: { label: 'Days without use', hint: 'Default: 90.' },
};

/** The filters of a page with the values that were sent, without parameters that are no filters. */
export const filterFields = (
  names: readonly QuestionName[],
  query: Params,
  addons: readonly Known[],
  errors: readonly ParameterError[],
): readonly FilterField[] =>
  names.flatMap((name): readonly FilterField[] => {
    const words = described[name];
    if (!words) return [];
    const value = (query.get(name)?.[0] ?? '').slice(0, 100);
    const problem = errors.find(({ parameter }) => parameter === name)?.allowed ?? null;
    return [{ name, ...words, value, problem, options: optionsOf(name, addons) }];
  });

const optionsOf = (name: QuestionName, addons: readonly Known[]): FilterField['options'] => {
  if (name === 'addon') return addons.map(({ addonId, name: label }) => ({ value: addonId, label }));
  if (name === 'type') return typesWithSubjects.toSorted().map((type) => ({ value: type, label: type }));
  return null;
};
