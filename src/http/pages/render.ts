import { Eta } from 'eta';
import { markName } from '../../domain/kernel/sentence.ts';
import { makeReader, type Reader } from '../words/reader.ts';
import { escaped, markup, say, stress, trusted, type Html } from './html.ts';
import { layout, type Frame } from './layout.ts';

const eta = new Eta({ autoEscape: true, autoTrim: false, escapeFunction: escaped });

/** What a page of a signed-in user is made with; `signedIn` is the name that the bar shows. */
export type PageView = Pick<Frame, 'brand' | 'areas' | 'area'> &
  Localized & {
    readonly base: string;
    readonly signedIn: string;
  };

/** The same with a form. */
export type FormView = PageView & { readonly csrf: string };

/** Where an add-on of an organization is managed. */
export const addonPath = ({ base, organization, addon }: AddonOfOrganization): string =>
  `${base}/admin/organizations/${organization.organizationId}/addons/${addon.addonId}`;

type AddonOfOrganization = {
  readonly base: string;
  readonly organization: { readonly organizationId: string };
  readonly addon: { readonly addonId: string };
};

/** Compiles a template once. `<%= %>` escapes, and no template uses `<%~ %>` for anything but another template's output. */
export const compile = <View extends object>(template: string): ((view: View) => string) => {
  const compiled = eta.compile(template);
  return (view) => eta.render(compiled, view);
};

/** In whose language and time zone a page is. */
export type Localized = { readonly reader: Reader };

/** English, for the pages that are not in the catalogue yet. */
const english = makeReader();

const helpersOf = (reader: Reader) => ({
  t: reader.words,
  words: { momentOf: reader.momentOf },
  plainWords: reader.scopes,
  dayOf: reader.dayOf,
  when: reader.when,
  list: reader.list,
  isZoneChosen: reader.isZoneChosen,
  timeOf: (time: string) =>
    markup`<time data-as="when" datetime="${time}" title="${time}">${reader.when(time)}</time>`.html,
  /** Marks a name in what is given to the catalogue. */
  mark: markName,
  /** HTML of a text of the catalogue, with its names isolated, so that none can reorder the words around it (CL-08). */
  say: (text: string) => say(text).html,
  /** The same with the names in bold. */
  stress: (text: string) => stress(text).html,
});

/**
 * A page inside the layout: a template, which has `t`, the catalogue in the reader's language, helpers, what is in the view, and
 * what `more` makes of it; or a function of the view. The title of a view with a problem begins with the error, because
 * screen readers read the title first.
 */
export const page = <View extends object>(
  title: string | ((view: View) => string),
  body: string | ((view: View) => Html),
  more: (view: View) => object = () => ({}),
): ((view: View) => string) => {
  const template = typeof body === 'string' ? compile(body) : null;
  return (view) => {
    const named = { title: typeof title === 'string' ? title : title(view), hasProblem: hasProblem(view) };
    const { reader = english } = view as Partial<Localized>;
    const all = { base: '', ...helpersOf(reader), ...view, ...named, ...more(view) };
    const content = typeof body === 'string' ? trusted(template?.(all) ?? '') : body(view);
    return layout(all, content).html;
  };
};

const hasProblem = (view: { readonly problem?: unknown; readonly problems?: readonly unknown[] }): boolean =>
  Boolean(view.problem) || (view.problems ?? []).length > 0;
