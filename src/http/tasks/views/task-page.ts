import { markName } from '../../../domain/kernel/sentence.ts';
import { alert, facts, field, form, type FactRow, type FormField } from '../../pages/components.ts';
import { markup, type Html } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { page, type FormView, type PageView } from '../../pages/render.ts';
import { withParts } from '../in-words.ts';

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
  readonly item: {
    readonly named: readonly (readonly [field: string, value: string])[];
    readonly facts: readonly FactRow[];
  } | null;
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
  markup`${view.item?.named.map(([name, value]) => markup`<input type="hidden" name="${name}" value="${value}">`)}${view.revision !== '' && markup`<input type="hidden" name="revision" value="${view.revision}">`}${view.field !== null && markup`<input type="hidden" name="field" value="${view.field}">`}${view.isFinal && markup`<input type="hidden" name="sure" value="on"/>`}${view.to && markup`<input type="hidden" name="to" value="${view.to.id}">`}${view.fields.map(field)}`,
)}`;
};

export type EntityDoneView = PageView & {
  readonly title: string;
  readonly text: string;
  /** Shown once, as a block to select. */
  readonly once: string | null;
  readonly facts: readonly FactRow[];
  readonly back: { readonly href: string; readonly label: string };
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
