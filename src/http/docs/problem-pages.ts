import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import type { Frame } from '../pages/layout.ts';
import { loadPartial, page } from '../pages/render.ts';
import { explanations } from './problem-explanations.ts';
import { refusalPages } from './refusal-explanations.ts';

export type ProblemView = {
  readonly kind: string;
  readonly status: number;
  readonly title: string;
  readonly means: readonly Piece[];
  readonly remedy: readonly Piece[];
  readonly operations: readonly { readonly anchor: string; readonly summary: string }[];
};

/** Every problem with its explanation, in the order of `problemKinds`. */
export const problemViews = ({ paths, components }: OpenApiDocument): readonly ProblemView[] => {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const returns = (kind: string) => {
    const example = `"#/components/examples/${kind}"`;
    const responses = Object.entries(components.responses)
      .filter(([, response]) => JSON.stringify(response).includes(example))
      .map(([name]) => `#/components/responses/${name}`);
    return operations.filter((one) =>
      Object.values(one.responses).some(({ $ref = '' }: { readonly $ref?: string }) =>
        responses.includes($ref),
      ),
    );
  };
  return Object.entries(problemKinds).map(([kind, { status, title }]) => ({
    kind,
    status,
    title,
    means: piecesOf(explanations[kind as ProblemKind].means),
    remedy: piecesOf(explanations[kind as ProblemKind].remedy),
    operations: returns(kind).map(({ operationId, tags: [tag = ''], summary }) => ({
      anchor: `/${encodeURIComponent(tag)}/${operationId}`,
      summary,
    })),
  }));
};

loadPartial(
  'pieces',
  `<% it.pieces.forEach((piece) => { %><% if (piece.code) { %><code><%= piece.text %></code><% } else { %><%= piece.text %><% } %><% }) %>`,
);

const inReader = () => ({ wide: true });

type Placed = Pick<Frame, 'base' | 'brand'>;

export const problemPage = page<ProblemView & Placed>(
  ({ title }) => title,
  `<div class="text">
<p class="small"><a href="<%= it.base %>/problems">All problems</a> · <a href="<%= it.base %>/docs">Documentation</a></p>
<h1><%= it.title %></h1>
<p class="route"><span class="status s<%= String(it.status)[0] %>"><%= it.status %></span> <code><%= it.kind %></code></p>
<div class="card">
<h2>What it means</h2>
<p><%~ include('@pieces', { pieces: it.means }) %></p>
<h2>What to do</h2>
<p><%~ include('@pieces', { pieces: it.remedy }) %></p>
</div>
<% if (it.operations.length > 0) { %><h2>Operations that return it</h2>
<ul class="plainlist"><% it.operations.forEach((operation) => { %><li><a href="<%= it.base %>/docs#<%= operation.anchor %>"><%= operation.summary %></a></li><% }) %></ul><% } else { %><p class="soft">Any address may return it.</p><% } %>
</div>
`,
  inReader,
);

export const problemsPage = page<Placed & { readonly all: readonly ProblemView[] }>(
  'Problems',
  `<div class="text">
<p class="small"><a href="<%= it.base %>/docs">Documentation</a></p>
<h1>Problems</h1>
<p>What the lists and the administrators’ API answer when they refuse, as problem details (RFC 9457). Compare <code>type</code>: its last part is the name below, and it does not change.</p>
<% it.all.forEach((problem) => { %>
<section class="operation" aria-labelledby="<%= problem.kind %>">
<h2 id="<%= problem.kind %>"><a href="<%= it.base %>/problems/<%= problem.kind %>"><%= problem.title %></a></h2>
<p class="route"><span class="status s<%= String(problem.status)[0] %>"><%= problem.status %></span> <code><%= problem.kind %></code></p>
<p><%~ include('@pieces', { pieces: problem.means }) %></p>
</section>
<% }) %>
</div>
`,
  inReader,
);

/** Why OAuth's endpoints refused: for publishers. */
export const refusalViews: readonly ProblemView[] = refusalPages.map(({ means, remedy, ...about }) => ({
  ...about,
  status: 400,
  means: piecesOf(means),
  remedy: piecesOf(remedy),
  operations: [],
}));

/** Part of a sentence; the template sets code in a monospaced font. */
type Piece = { readonly code: boolean; readonly text: string };

/** Splits a description into text and code in backticks. */
function piecesOf(text: string): readonly Piece[] {
  return text
    .split('`')
    .map((part, index) => ({ code: index % 2 === 1, text: part }))
    .filter((piece) => piece.text !== '');
}
