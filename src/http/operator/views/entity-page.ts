import {
  alert,
  card,
  facts,
  field,
  form,
  head,
  notice,
  type FactRow,
  type FormField,
} from '../../pages/components.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { withParts } from '../in-words.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type FormView, type PageView } from '../../pages/render.ts';

type Link = { readonly href: string; readonly label: string };

export type EntityView = PageView & {
  readonly crumbs: readonly Crumb[];
  readonly title: string;
  readonly heading: Html;
  /** Below the heading. */
  readonly standing: Part;
  readonly facts: readonly FactRow[];
  /** What there is besides, each with what can be done there. */
  readonly sections: readonly Html[];
  readonly related: readonly Link[];
  readonly actions: readonly (Link & { readonly isEnd: boolean })[];
  readonly done: Part;
};

/** A summary, with "Change" next to what can be changed, and what else can be done, each on a page of its own. */
export const entityPage = page<EntityView>(
  ({ title }) => title,
  (view) => {
    const { operator: t } = view.reader.words;
    return markup`${head(view.heading)} ${view.standing} ${view.done && notice(view.done)}
${view.related.length > 0 && markup`<nav class="tabs" aria-label="${t.related}">${view.related.map(linkOf)}</nav>`}
${card(t.summary, facts(view.reader, view.facts), 'summary')} ${view.sections}
${view.actions.length > 0 && card(t.actions, markup`${buttons(view, false)}${buttons(view, true)}`, 'actions')} `;
  },
  () => ({ wide: true }),
);

/** What ends something is apart from the rest. */
const buttons = ({ actions }: EntityView, isEnd: boolean): Html | null => {
  const some = actions.filter((action) => action.isEnd === isEnd);
  return some.length === 0
    ? null
    : markup`<div class="actions">${some.map(({ href, label }) => markup`<a class="button ${isEnd ? 'danger' : 'plain'}" href="${href}">${label}</a> `)}</div>`;
};

const linkOf = ({ href, label }: Link): Html => markup`<a href="${href}">${label}</a> `;

export type TaskView = FormView & {
  readonly crumbs: readonly Crumb[];
  readonly summary: string;
  readonly submit: string;
  /** What it is done to; null where it makes a new one. */
  readonly title: string | null;
  readonly heading: Html | null;
  readonly effect: string;
  readonly ends: readonly string[];
  readonly isEnd: boolean;
  readonly isFinal: boolean;
  readonly action: string;
  readonly cancel: string;
  readonly fields: readonly FormField[];
  /** Of a list, what it is done to: the form is sent with its id. */
  readonly item: { readonly field: string; readonly id: string; readonly facts: readonly FactRow[] } | null;
  /** Where there is nothing to send, what the way back is called. */
  readonly back: string | null;
  /** The property that it is about; null for all. */
  readonly field: string | null;
  readonly revision: string;
  readonly problem: string | null;
  /** Who is to get it: the form says so, and is sent with the id. */
  readonly to: { readonly id: string; readonly said: Html } | null;
};

/** One form on a page of its own, which says what will happen. */
export const taskPage = page<TaskView>(
  ({ summary, title }) => (title === null ? summary : `${summary}: ${title}`),
  (view) => markup`<div class="card">
<h1>${view.summary}</h1>
${view.heading && markup`<p><strong>${view.heading}</strong></p>`}
${view.problem && alert(markup`<p id="failed">${view.problem}</p>`)}
${view.to && markup`<p class="alert">${view.to.said}</p>`} ${view.item && facts(view.reader, view.item.facts)} ${view.back === null ? sending(view) : markup`<div class="actions"><a class="button" href="${view.cancel}">${view.back}</a></div>`}
</div> `,
);

const sending = (view: TaskView): Html => {
  const { operator: t } = view.reader.words;
  return markup`<p>${view.effect}</p>
${view.ends.length > 0 && markup`<p class="alert">${withParts(t.endsNow(markName('ends')), { ends: markup`<strong>${view.ends.join(', ')}</strong>` })}</p>`}
${view.isFinal && markup`<p><strong>${t.final}</strong></p>`}
${form(
  view.reader,
  {
    action: view.action,
    csrf: view.csrf,
    submit: view.submit,
    isEnd: view.isEnd,
    cancel: view.cancel,
    hasFile: view.fields.some(({ kind }) => kind === 'file'),
  },
  markup`${view.item && markup`<input type="hidden" name="${view.item.field}" value="${view.item.id}">`}${view.revision !== '' && markup`<input type="hidden" name="revision" value="${view.revision}">`}${view.field !== null && markup`<input type="hidden" name="field" value="${view.field}">`}${view.isFinal && markup`<input type="hidden" name="sure" value="on"/>`}${view.to && markup`<input type="hidden" name="to" value="${view.to.id}">`}${view.fields.map(field)}`,
)}`;
};

export type EntityDoneView = PageView & {
  readonly title: string;
  readonly text: string;
  /** Shown once, as a block to select. */
  readonly once: string | null;
  readonly facts: readonly FactRow[];
  readonly back: Link;
};

/** What a task answered in addition to the new state: receipts, or a link that is shown once. */
export const entityDonePage = page<EntityDoneView>(
  ({ title }) => title,
  (view) =>
    markup`<div class="card">
<h1>${view.title}</h1>
<p role="status">${view.text}</p>
${
  view.once !== null &&
  markup`<p class="soft small">${view.reader.words.tokens.copyNow}</p>
<p><code class="whole">${view.once}</code></p>`
}
${facts(view.reader, view.facts)}
<div class="actions"><a class="button" href="${view.back.href}">${view.back.label}</a></div>
</div> `,
);
