import { Eta } from 'eta';
import { withInvisibleShown } from '../../domain/kernel/name.ts';
import { layout } from './layout.ts';

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

/**
 * Compiles a page once; the result renders it inside the layout. `<%= %>` escapes, and no template uses `<%~ %>`
 * for anything but another template's output.
 */
export const compilePage = <View extends object>(template: string): ((view: View) => string) => {
  const compiled = eta.compile(template);
  return (view) => eta.render(compiled, view);
};
