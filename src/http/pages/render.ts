import { Eta } from 'eta';
import { dayOf } from './day-of.ts';
import { escaped, trusted, type Html } from './html.ts';
import { layout, type Frame } from './layout.ts';
import { plainWords } from './plain-words.ts';
import { words } from './words.ts';

const eta = new Eta({ autoEscape: true, autoTrim: false, escapeFunction: escaped });

/** Registers a partial that templates include by `@name`. */
export const loadPartial = (name: string, template: string): void => eta.loadTemplate(`@${name}`, template);

/** Template of a `Sentence`: each name is bidi-isolated, so that it cannot reorder the words around it (CL-08). */
export const sentence = (variable: string): string =>
  `<% ${variable}.forEach(({ kind, text }) => { if (kind === 'name') { %><bdi><%= text %></bdi><% } else { %><%= text %><% } }) %>`;

/** What a page of a signed-in user is made with; `signedIn` is the name that the bar shows. */
export type PageView = Pick<Frame, 'brand' | 'areas' | 'area'> & {
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

const helpers = { words, plainWords, dayOf };

/**
 * A page inside the layout: a template, which has `words`, `plainWords` and `dayOf`, what is in the view, and what `more`
 * makes of it; or a function of the view. The title of a view with a problem begins with the error, because screen
 * readers read the title first.
 */
export const page = <View extends object>(
  title: string | ((view: View) => string),
  body: string | ((view: View) => Html),
  more: (view: View) => object = () => ({}),
): ((view: View) => string) => {
  const template = typeof body === 'string' ? compile(body) : null;
  return (view) => {
    const named = { title: typeof title === 'string' ? title : title(view), hasProblem: hasProblem(view) };
    const all = { base: '', ...helpers, ...view, ...named, ...more(view) };
    const content = typeof body === 'string' ? trusted(template?.(all) ?? '') : body(view);
    return layout(all, content).html;
  };
};

const hasProblem = (view: { readonly problem?: unknown; readonly problems?: readonly unknown[] }): boolean =>
  Boolean(view.problem) || (view.problems ?? []).length > 0;
