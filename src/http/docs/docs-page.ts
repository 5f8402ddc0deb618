import { compilePage, loadPartial } from '../pages/render.ts';
import { docsStylesheetPath } from './docs-stylesheet.ts';
import type { SchemaView, SectionView } from './docs-view.ts';
import { guide } from './guide.ts';
import type { Piece } from './inline.ts';

export type DocsView = {
  readonly base: string;
  readonly baseUrl: string;
  readonly issuer: string;
  readonly version: string;
  readonly introduction: readonly (readonly Piece[])[];
  readonly sections: readonly SectionView[];
  readonly types: readonly SchemaView[];
  readonly problems: readonly { readonly kind: string; readonly status: number; readonly title: string }[];
};

loadPartial(
  'pieces',
  `<% it.pieces.forEach((piece) => { %><% if (piece.code) { %><code><%= piece.text %></code><% } else { %><%= piece.text %><% } %><% }) %>`,
);

loadPartial(
  'type',
  `<span class="type"><%= it.type.before %><% if (it.type.link) { %><a href="#type-<%= it.type.link %>"><%= it.type.link %></a><% } %></span>`,
);

loadPartial(
  'fields',
  `<dl class="fields">
<% it.fields.forEach((field) => { %><div>
<dt><code><%= field.name %></code><% if (it.marks && field.required) { %> <span class="tag">required</span><% } %><% if (it.optional && !field.required) { %> <span class="tag off">not always</span><% } %></dt>
<dd><%~ include('@type', { type: field.type }) %><% if (field.description.length > 0) { %><span class="says"><%~ include('@pieces', { pieces: field.description }) %></span><% } %></dd>
</div><% }) %>
</dl>`,
);

loadPartial(
  'answer',
  `<details class="answer"<%= it.open ? ' open' : '' %>>
<summary><span class="status s<%= it.answer.status[0] %>"><%= it.answer.status %></span> <span><%~ include('@pieces', { pieces: it.answer.description }) %></span></summary>
<% it.answer.bodies.forEach((body) => { %>
<% if (body.mediaType === 'text/html') { %><p class="soft small">A page.</p><% } else { %>
<p class="soft small"><code><%= body.mediaType %></code><% if (body.schema) { %>: <a href="#type-<%= body.schema %>"><%= body.schema %></a><% } %></p><% } %>
<% if (body.problems.length > 0) { %><ul class="plainlist"><% body.problems.forEach((problem) => { %><li><a href="<%= it.base %>/problems/<%= problem.kind %>"><code><%= problem.kind %></code></a> <%= problem.title %></li><% }) %></ul><% } %>
<% if (body.errors.length > 0) { %><dl class="fields"><% body.errors.forEach((error) => { %><div><dt><code><%= error.code %></code></dt><dd><%~ include('@pieces', { pieces: error.meaning }) %></dd></div><% }) %></dl><% } %>
<% body.examples.forEach((example) => { %><p class="caption"><%= example.name %></p><pre tabindex="0"><code><%= example.text %></code></pre><% }) %>
<% }) %>
<% if (it.answer.headers.length > 0) { %><p class="caption">Headers</p>
<ul class="plainlist headers"><% it.answer.headers.forEach((header) => { %><li><code><%= header.name %><% if (header.value) { %>: <%= header.value %><% } %></code><% if (!header.required) { %> <span class="tag off">not always</span><% } %> <span class="soft"><%~ include('@pieces', { pieces: header.description }) %></span></li><% }) %></ul><% } %>
</details>`,
);

loadPartial(
  'operation',
  `<section class="operation" id="<%= it.operation.id %>" aria-labelledby="h-<%= it.operation.id %>">
<h3 id="h-<%= it.operation.id %>"><a class="anchor" href="#<%= it.operation.id %>"><%= it.operation.summary %></a></h3>
<p class="route"><span class="method"><%= it.operation.method %></span> <code><%= it.operation.path %></code></p>
<% it.operation.paragraphs.forEach((pieces) => { %><p><%~ include('@pieces', { pieces }) %></p><% }) %>
<p class="soft small">Access: <%= it.operation.access %>.</p>
<% if (it.operation.parameters.length > 0) { %><h4>Parameters</h4><%~ include('@fields', { fields: it.operation.parameters, marks: true }) %><% } %>
<% it.operation.forms.forEach((form) => { %><h4>Form</h4><p class="soft small"><%= form.title %></p><%~ include('@fields', { fields: form.fields, marks: true }) %><% }) %>
<% if (it.operation.calls.length > 0) { %><h4>Call it</h4><% it.operation.calls.forEach((call) => { %><pre tabindex="0"><code><%= call %></code></pre><% }) %><% } %>
<h4>Answers</h4>
<% it.operation.answers.forEach((answer, index) => { %><%~ include('@answer', { answer, base: it.base, open: index === 0 && answer.bodies.some((body) => body.examples.length > 0) }) %><% }) %>
</section>`,
);

type Shown = DocsView & { readonly title: string; readonly reader: true; readonly stylesheet: string };

const render = compilePage<Shown>(`<% layout('@layout') %>
<div class="docs">
<nav class="contents" aria-label="Contents">
<p class="caption">Contents</p>
<ul>
<li><a href="#start">A token in five steps</a></li>
<% it.sections.forEach((section) => { %><li><a href="#<%= section.id %>"><%= section.name %></a>
<ul><% section.operations.filter(({ method }) => method !== 'OPTIONS').forEach((operation) => { %><li><a href="#<%= operation.id %>"><%= operation.summary %></a></li><% }) %></ul></li><% }) %>
<li><a href="#errors">Errors</a></li>
<li><a href="#types">Types</a></li>
</ul>
</nav>
<div class="text">
<h1>Grantbook’s interface</h1>
<% it.introduction.forEach((pieces) => { %><p><%~ include('@pieces', { pieces }) %></p><% }) %>
<p class="soft small">Version <%= it.version %>, at <code><%= it.baseUrl %></code>. For tools: <a href="<%= it.base %>/openapi.json"><code>/openapi.json</code></a> (OpenAPI 3.1), and <a href="<%= it.base %>/asyncapi.json"><code>/asyncapi.json</code></a> (AsyncAPI 3.0) about messages by Kafka.</p>
<section id="start" aria-labelledby="h-start">
<h2 id="h-start">A token in five steps</h2>
${guide}
</section>
<% it.sections.forEach((section) => { %>
<section id="<%= section.id %>" aria-labelledby="h-<%= section.id %>">
<h2 id="h-<%= section.id %>"><%= section.name %></h2>
<p><%~ include('@pieces', { pieces: section.description }) %></p>
<% section.operations.forEach((operation) => { %><%~ include('@operation', { operation, base: it.base }) %><% }) %>
</section>
<% }) %>
<section id="errors" aria-labelledby="h-errors">
<h2 id="h-errors">Errors</h2>
<p>The lists and the administrators’ API return problem details (RFC 9457). Compare <code>type</code>, never <code>title</code>: each is the address of a page that says what to do.</p>
<ul class="plainlist"><% it.problems.forEach((problem) => { %><li><span class="status s<%= String(problem.status)[0] %>"><%= problem.status %></span> <a href="<%= it.base %>/problems/<%= problem.kind %>"><code><%= problem.kind %></code></a> <%= problem.title %></li><% }) %></ul>
</section>
<section id="types" aria-labelledby="h-types">
<h2 id="h-types">Types</h2>
<% it.types.forEach((type) => { %>
<section class="operation" id="type-<%= type.name %>" aria-labelledby="h-type-<%= type.name %>">
<h3 id="h-type-<%= type.name %>"><a class="anchor" href="#type-<%= type.name %>"><%= type.name %></a></h3>
<% if (type.description.length > 0) { %><p><%~ include('@pieces', { pieces: type.description }) %></p><% } %>
<% if (type.type) { %><p><%~ include('@type', { type: type.type }) %></p><% } else { %><%~ include('@fields', { fields: type.fields, optional: true }) %><% } %>
</section>
<% }) %>
</section>
</div>
</div>
`);

export const docsPage = (view: DocsView): string =>
  render({ ...view, title: 'Interface', reader: true, stylesheet: docsStylesheetPath });
