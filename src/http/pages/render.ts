import { Eta } from 'eta';
import { withInvisibleShown } from '../../domain/kernel/name.ts';
import { dayOf } from './day-of.ts';
import { layout } from './layout.ts';
import { plainWords } from './plain-words.ts';
import { words } from './words.ts';

const plain = new Eta();

/**
 * Escapes HTML, and makes invisible characters visible, so that no value can change the writing direction or hide text
 * (CL-08).
 */
const escapeFunction = (value: unknown): string =>
  plain.config.escapeFunction(withInvisibleShown(String(value)));

const eta = new Eta({ autoEscape: true, autoTrim: false, escapeFunction });
eta.loadTemplate('@layout', layout);

/** Registers a partial that templates include by `@name`. */
export const loadPartial = (name: string, template: string): void => eta.loadTemplate(`@${name}`, template);

/** Template of a `Sentence`: each name is bidi-isolated, so that it cannot reorder the words around it (CL-08). */
export const sentence = (variable: string): string =>
  `<% ${variable}.forEach(({ kind, text }) => { if (kind === 'name') { %><bdi><%= text %></bdi><% } else { %><%= text %><% } }) %>`;

/** What a form of a signed-in user is made with; `signedIn` is the name that the layout shows. */
export type FormView = { readonly base: string; readonly csrf: string; readonly signedIn: string };

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
 * A page inside the layout. Its template has `words`, `plainWords` and `dayOf`, what is in the view, and what `more` makes of
 * it. The title of a view with a problem begins with the error, because screen readers read the title first.
 */
export const page = <View extends object>(
  title: string | ((view: View) => string),
  template: string,
  more: (view: View) => object = () => ({}),
): ((view: View) => string) => {
  const render = compile(`<% layout('@layout') %>\n${template}`);
  return (view) => {
    const text = typeof title === 'string' ? title : title(view);
    return render({ ...helpers, ...view, title: hasProblem(view) ? `Error: ${text}` : text, ...more(view) });
  };
};

const hasProblem = (view: { readonly problem?: unknown; readonly problems?: readonly unknown[] }): boolean =>
  Boolean(view.problem) || (view.problems ?? []).length > 0;
