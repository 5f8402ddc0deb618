import { card, facts, notice, tabs, type FactRow, type Tab } from '../../pages/components.ts';
import { markup, type Html, type Part } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import { initialOf } from '../../pages/list.ts';
import { page, type Localized, type PageView } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';
import type { Facts } from '../shown.ts';

export type EntityView = PageView & {
  readonly crumbs: readonly Crumb[];
  readonly title: string;
  readonly heading: Html;
  /** An address for an image. */
  readonly logo: string | null;
  /** Below the heading. */
  readonly head: Part;
  /** What is done most, and a menu of the rest. */
  readonly actions: readonly Part[];
  /** What waits for a decision, each with both. */
  readonly waiting: readonly Html[];
  readonly tabs: readonly Tab[];
  readonly facts: Facts;
  /** Of the thing itself, each with what can be done there. */
  readonly lists: readonly Html[];
  readonly sections: readonly Html[];
  readonly done: Part;
};

/** A thing: what waits, what it is, and its lists; each action is at what it acts on (PG-19). */
export const entityPage = page<EntityView>(
  ({ title }) => title,
  (view) => {
    const { reader, facts: known } = view;
    const { operator: t } = reader.words;
    const unset = unsetOf(reader, known);
    return markup`<div class="head thing">
<div class="lead">${initialOf(view.title, view.logo)}<div><h1>${view.heading}</h1>${view.head && markup`<p class="sub">${view.head}</p>`}</div></div>
<div class="actions">${view.actions}</div>
</div>
${view.done && notice(view.done)} ${view.waiting}
${view.tabs.length > 0 && tabs(reader, t.related, view.tabs)}
${card(t.summary, markup`${facts(reader, known.plain)}${known.technical.length === 0 && unset}`, 'summary')}
${view.lists} ${view.sections}
${known.technical.length > 0 && card(t.technical, markup`${facts(reader, known.technical)}${unset}`, 'technical')} `;
  },
  () => ({ wide: true }),
);

/** In one line, each leads to where it is set. */
const unsetOf = ({ words: { operator: t } }: Reader, { unset }: Facts): Part =>
  unset.length > 0 &&
  markup`<p class="soft small note">${t.notSet} ${unset.map(
    ({ label, change }, index) =>
      markup`${index > 0 && ' · '}${change === null ? label : markup`<a href="${change}">${label}</a>`}`,
  )}</p>`;

/** What waits for a decision: who asks for it, before and after, and both buttons. */
export const waitingCard = ({
  reader,
  title,
  facts: rows,
  whole,
  ways,
}: Localized & {
  readonly title: string;
  readonly facts: readonly FactRow[];
  readonly whole: readonly FactRow[];
  readonly ways: readonly Html[];
}): Html =>
  markup`<section class="card waiting"><h2>${title}</h2>${facts(reader, rows)}${whole.map(({ value }) => value)}<div class="actions">${ways}</div></section> `;
