import type { Field } from '../../../administration/fields.ts';
import { historyStylesheetPath } from '../../audit/views/history-stylesheet.ts';
import { loadPartial, page } from '../../pages/render.ts';

/** A value of an answer, prepared for a page. `href` under `base`: the page of what an id names. */
export type Shown =
  | { readonly kind: 'text'; readonly text: string; readonly href: string | null; readonly id?: string }
  | { readonly kind: 'time'; readonly at: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'many'; readonly items: readonly Shown[] };

export type Fact = { readonly label: string; readonly value: Shown };

export type TaskForm = {
  readonly name: string;
  readonly summary: string;
  readonly effect: string;
  readonly isFinal: boolean;
  readonly action: string;
  readonly fields: readonly (Field & { readonly value: string; readonly problem: string | null })[];
};

export type EntityView = {
  readonly base: string;
  readonly signedIn: string;
  readonly csrf: string;
  /** `organization`, and its id. */
  readonly name: string;
  readonly id: string;
  /** What people call it; null: it has only an id. */
  readonly title: string | null;
  readonly list: { readonly href: string; readonly label: string };
  readonly facts: readonly Fact[];
  readonly related: readonly { readonly href: string; readonly label: string }[];
  readonly forms: readonly TaskForm[];
  /** The revision that the forms are sent with. */
  readonly revision: string;
  readonly done: string | null;
  readonly problem: string | null;
  readonly failed: string | null;
};

loadPartial(
  'shown',
  `<% const { value } = it; if (value.kind === 'none') { %><span class="soft">none</span><% } else if (value.kind === 'time') { %><time datetime="<%= value.at %>"><%= it.words.momentOf(value.at) %></time><% } else if (value.kind === 'many') { value.items.forEach((item) => { %><div><%~ include('@shown', { value: item, base: it.base, words: it.words }) %></div><% }) } else if (value.href !== null) { %><a href="<%= it.base %><%= value.href %>"><bdi><%= value.text %></bdi></a><% if (value.id) { %> <code class="soft small"><%= value.id %></code><% } } else { %><bdi<% if (value.text.length <= 12) { %> class="whole"<% } %>><%= value.text %></bdi><% } %>`,
);

/** The form of a task. Ids of its fields begin with the task's name, because a page has several forms. */
loadPartial(
  'task-form',
  `<% const { form } = it; %><section class="card" aria-labelledby="<%= form.name %>">
<h2 id="<%= form.name %>"><%= form.summary %></h2>
<p class="soft small"><%= form.effect %></p>
<form method="post" action="<%= it.base %><%= form.action %>"<% if (form.fields.some(({ kind }) => kind === 'file')) { %> enctype="multipart/form-data"<% } %>>
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<% if (it.revision !== '') { %><input type="hidden" name="revision" value="<%= it.revision %>"><% } %>
<% form.fields.forEach((field) => { const id = form.name + '-' + field.name; const described = [field.problem && id + '-problem', id + '-hint'].filter(Boolean).join(' '); %>
<% if (field.kind === 'flag') { %>
<label class="choice" for="<%= id %>"><input type="checkbox" id="<%= id %>" name="<%= field.name %>" value="on"<% if (field.value) { %> checked<% } %> aria-describedby="<%= described %>"><span><%= field.title %></span></label>
<% } else { %>
<label class="field" for="<%= id %>"><%= field.title %></label>
<% if (field.kind === 'choice') { %>
<select id="<%= id %>" name="<%= field.name %>" aria-describedby="<%= described %>"<% if (field.problem) { %> aria-invalid="true"<% } %>>
<% if (!field.isRequired) { %><option value="">–</option><% } %>
<% field.values.forEach((value) => { %><option value="<%= value %>"<% if (value === field.value) { %> selected<% } %>><%= value %></option>
<% }) %></select>
<% } else if (field.kind === 'several') { %>
<textarea id="<%= id %>" name="<%= field.name %>" rows="3" spellcheck="false" aria-describedby="<%= described %>"<% if (field.problem) { %> aria-invalid="true"<% } %>><%= field.value %></textarea>
<% } else if (field.kind === 'file') { %>
<input type="file" id="<%= id %>" name="<%= field.name %>" aria-describedby="<%= described %>"<% if (field.isRequired) { %> required<% } %><% if (field.problem) { %> aria-invalid="true"<% } %>>
<% } else { %>
<input type="<%= field.kind === 'secret' ? 'password' : 'text' %>" id="<%= id %>" name="<%= field.name %>" value="<%= field.value %>" autocomplete="<%= field.kind === 'secret' ? 'new-password' : 'off' %>" aria-describedby="<%= described %>"<% if (field.isRequired) { %> required<% } %><% if (field.problem) { %> aria-invalid="true"<% } %>>
<% } } %>
<% if (field.problem) { %><p class="small wrong" id="<%= id %>-problem"><%= field.problem %></p><% } %>
<p class="soft small" id="<%= id %>-hint"><%= field.description %><% if (field.kind === 'several') { %>; one a line<% if (field.values.length > 0) { %>, out of <%= field.values.join(', ') %><% } %><% } %></p>
<% }) %>
<% if (form.isFinal) { %><label class="choice" for="<%= form.name %>-sure"><input type="checkbox" id="<%= form.name %>-sure" name="sure" value="on" required><span>This cannot be undone. I want to do it.</span></label><% } %>
<div class="actions"><button type="submit"<% if (form.isFinal) { %> class="danger"<% } %>><%= form.summary %></button></div>
</form>
</section>`,
);

export const entityPage = page<EntityView>(
  (view) => `${view.title ?? view.id}`,
  `<p class="small"><a href="<%= it.base %>/operator">Operator</a> › <a href="<%= it.base %><%= it.list.href %>"><%= it.list.label %></a></p>
<h1><bdi><%= it.title ?? it.id %></bdi></h1>
<% if (it.problem) { %><p class="alert" role="alert" id="failed"><%= it.problem %><% if (it.failed) { %> <a href="#<%= it.failed %>">Back to the form</a><% } %></p><% } %>
<% if (it.done) { %><p class="notice" role="status"><%= it.done %></p><% } %>
<section class="card" aria-labelledby="facts">
<h2 id="facts">As it is now</h2>
<dl class="facts">
<% it.facts.forEach(({ label, value }) => { %><dt><%= label %></dt><dd><%~ include('@shown', { value, base: it.base, words: it.words }) %></dd>
<% }) %></dl>
<% if (it.related.length > 0) { %><p class="note"><% it.related.forEach(({ href, label }, index) => { %><% if (index > 0) { %> · <% } %><a href="<%= it.base %><%= href %>"><%= label %></a><% }) %></p><% } %>
</section>
<% if (it.forms.length > 1) { %><nav class="ways" aria-label="Tasks"><% it.forms.forEach(({ name, summary }) => { %><a href="#<%= name %>"><%= summary %></a> <% }) %></nav><% } %>
<% it.forms.forEach((form) => { %><%~ include('@task-form', { form, base: it.base, csrf: it.csrf, revision: it.revision }) %>
<% }) %>
`,
  () => ({ wide: true, stylesheet: historyStylesheetPath }),
);

export type EntityDoneView = Pick<EntityView, 'base' | 'signedIn'> & {
  readonly title: string;
  readonly text: string;
  readonly facts: readonly Fact[];
  readonly back: { readonly href: string; readonly label: string };
};

/** What a task answered in addition to the new state: receipts, or a link that is shown once. */
export const entityDonePage = page<EntityDoneView>(
  (view) => view.title,
  `<div class="card">
<h1><%= it.title %></h1>
<p role="status"><%= it.text %></p>
<dl class="facts">
<% it.facts.forEach(({ label, value }) => { %><dt><%= label %></dt><dd><%~ include('@shown', { value, base: it.base, words: it.words }) %></dd>
<% }) %></dl>
<div class="actions"><a class="button" href="<%= it.base %><%= it.back.href %>"><%= it.back.label %></a></div>
</div>
`,
  () => ({ wide: true, stylesheet: historyStylesheetPath }),
);
