import type { EntityView, Fact, TaskForm } from './entity-page.ts';
import { historyStylesheetPath } from '../../audit/views/history-stylesheet.ts';
import { page } from '../../pages/render.ts';

export type EntityListView = Pick<EntityView, 'base' | 'signedIn' | 'csrf'> & {
  /** The address of this page, under `base`. */
  readonly here: string;
  /** Pages above this one, below the operators' home. */
  readonly above: readonly { readonly href: string; readonly label: string }[];
  readonly heading: string;
  readonly fields: TaskForm['fields'];
  readonly columns: readonly string[];
  /** The first cell of a row is its head. */
  readonly rows: readonly (readonly Fact[])[];
  /** Under `base`; null at the end. */
  readonly next: string | null;
  readonly forms: readonly TaskForm[];
  readonly problem: string | null;
};

export const entityListPage = page<EntityListView>(
  (view) => `${view.heading}`,
  `<p class="small"><a href="<%= it.base %>/operator">Operator</a><% it.above.forEach(({ href, label }) => { %> › <a href="<%= it.base %><%= href %>"><bdi><%= label %></bdi></a><% }) %></p>
<h1><%= it.heading %></h1>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem %></p><% } %>
<% if (it.fields.length > 0) { %><form class="card" method="get" action="<%= it.base %><%= it.here %>">
<h2 id="filters">Find</h2>
<div class="filters">
<% it.fields.forEach((field) => { %>
<div>
<label class="field" for="<%= field.name %>"><%= field.title %></label>
<% if (field.kind === 'choice') { %>
<select id="<%= field.name %>" name="<%= field.name %>" aria-describedby="<%= field.name %>-hint"<% if (field.problem) { %> aria-invalid="true"<% } %>>
<option value="">All</option>
<% field.values.forEach((value) => { %><option value="<%= value %>"<% if (value === field.value) { %> selected<% } %>><%= value %></option>
<% }) %></select>
<% } else { %>
<input type="text" id="<%= field.name %>" name="<%= field.name %>" value="<%= field.value %>" autocomplete="off" spellcheck="false" aria-describedby="<%= field.name %>-hint"<% if (field.problem) { %> aria-invalid="true"<% } %>>
<% } %>
<p class="soft small" id="<%= field.name %>-hint"><% if (field.problem) { %><span class="wrong"><%= field.problem %></span> <% } %><%= field.description %></p>
</div>
<% }) %>
</div>
<div class="actions"><button type="submit">Search</button><a class="button plain" href="<%= it.base %><%= it.here %>">All</a></div>
</form><% } %>
<section class="card">
<% if (it.rows.length === 0) { %><p>None<% if (!it.problem && it.fields.some(({ value }) => value !== '')) { %> match<% } %>.</p><% } else { %>
<table class="grants" role="table"><caption><%= it.heading %></caption>
<thead role="rowgroup"><tr role="row"><% it.columns.forEach((label) => { %><th scope="col" role="columnheader"><%= label %></th><% }) %></tr></thead>
<tbody role="rowgroup">
<% it.rows.forEach(([head, ...cells]) => { %><tr role="row"><th scope="row" role="rowheader"><%~ include('@shown', { value: head.value, base: it.base, words: it.words }) %></th><% cells.forEach(({ label, value }) => { %><td role="cell" data-label="<%= label %>"><%~ include('@shown', { value, base: it.base, words: it.words }) %></td><% }) %></tr>
<% }) %></tbody></table>
<% } %>
<% if (it.next !== null) { %><nav class="ways" aria-label="Pages"><a class="button plain" href="<%= it.base %><%= it.next %>">Next page</a></nav><% } %>
</section>
<% it.forms.forEach((form) => { %><%~ include('@task-form', { form, base: it.base, csrf: it.csrf, revision: '' }) %>
<% }) %>
`,
  () => ({ wide: true, stylesheet: historyStylesheetPath }),
);
