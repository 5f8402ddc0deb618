import { problemKinds, type ProblemKind } from '../answers/problems.ts';
import type { OpenApiDocument } from '../openapi/document.ts';
import { markup, type Html } from '../pages/html.ts';
import type { Frame } from '../pages/layout.ts';
import { page } from '../pages/render.ts';
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

const textOf = (pieces: readonly Piece[]): Html =>
  markup`${pieces.map(({ code, text }) => (code ? markup`<code>${text}</code>` : text))}`;

const statusOf = ({ status, kind }: ProblemView): Html =>
  markup`<p class="route"><span class="status s${String(status)[0]}">${status}</span> <code>${kind}</code></p>`;

const inReader = () => ({ wide: true });

type Placed = Pick<Frame, 'base' | 'brand'>;

export const problemPage = page<ProblemView & Placed>(
  ({ title }) => title,
  (view) => {
    const { base, title, operations } = view;
    const returnedBy = operations.map(
      ({ anchor, summary }) => markup`<li><a href="${base}/docs#${anchor}">${summary}</a></li>`,
    );
    return markup`<div class="text">
<p class="small"><a href="${base}/problems">All problems</a> · <a href="${base}/docs">Documentation</a></p>
<h1>${title}</h1>
${statusOf(view)}
<div class="card">
<h2>What it means</h2>
<p>${textOf(view.means)}</p>
<h2>What to do</h2>
<p>${textOf(view.remedy)}</p>
</div>
${
  operations.length > 0
    ? markup`<h2>Operations that return it</h2>
<ul class="plainlist">${returnedBy}</ul>`
    : markup`<p class="soft">Any address may return it.</p>`
}
</div>
`;
  },
  inReader,
);

export const problemsPage = page<Placed & { readonly all: readonly ProblemView[] }>(
  'Problems',
  ({ base, all }) =>
    markup`<div class="text">
<p class="small"><a href="${base}/docs">Documentation</a></p>
<h1>Problems</h1>
<p>What the lists and the administrators’ API answer when they refuse, as problem details (RFC 9457). Compare <code>type</code>: its last part is the name below, and it does not change.</p>
${all.map(
  (problem) => markup`<section class="card" aria-labelledby="${problem.kind}">
<h2 id="${problem.kind}"><a href="${base}/problems/${problem.kind}">${problem.title}</a></h2>
${statusOf(problem)}
<p>${textOf(problem.means)}</p>
</section>
`,
)}
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

/** Part of a sentence; the page sets code in a monospaced font. */
type Piece = { readonly code: boolean; readonly text: string };

function piecesOf(text: string): readonly Piece[] {
  return text
    .split('`')
    .map((part, index) => ({ code: index % 2 === 1, text: part }))
    .filter((piece) => piece.text !== '');
}
