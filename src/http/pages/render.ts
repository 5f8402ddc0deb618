import { Eta } from 'eta';
import { withInvisibleShown } from '../../domain/kernel/name.ts';
import { dayOf } from './day-of.ts';
import { plainWords } from './plain-words.ts';
import { stylesheetPath } from './stylesheet.ts';
import { words } from './words.ts';

/**
 * The layout of every page. `it.base` is the path prefix of the service, `it.signedIn` the signed-in user;
 * documentation pages have an additional stylesheet, the pages that ask for a passkey a script, and a page that waits for a result loads `it.again`.
 */
const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<% if (it.again) { %><meta http-equiv="refresh" content="2; url=<%= it.again %>"><% } %>
<title><%= it.hasProblem ? 'Error: ' : '' %><%= it.title %> – Grantbook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="<%= it.base %>${stylesheetPath}">
<% if (it.script) { %><script src="<%= it.base %><%= it.script %>" defer></script><% } %>
<% if (it.stylesheet) { %><link rel="stylesheet" href="<%= it.base %><%= it.stylesheet %>"><% } %>
</head>
<body>
<header class="bar">
<a class="brand" href="<%= it.base %>/admin">Grantbook</a>
<% if (it.signedIn) { %><nav aria-label="Account"><span class="who"><bdi><%= it.signedIn %></bdi></span> <a href="<%= it.base %>/account">Your account</a> <a href="<%= it.base %>/sign-out">Sign out</a></nav><% } %>
</header>
<main class="<%= it.reader ? 'reader' : it.wide ? 'wide' : 'narrow' %>">
<%~ it.body %>
</main>
</body>
</html>
`;

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
    const named = { title: typeof title === 'string' ? title : title(view), hasProblem: hasProblem(view) };
    return render({ ...helpers, ...view, ...named, ...more(view) });
  };
};

const hasProblem = (view: { readonly problem?: unknown; readonly problems?: readonly unknown[] }): boolean =>
  Boolean(view.problem) || (view.problems ?? []).length > 0;
