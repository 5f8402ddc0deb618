import { Eta } from 'eta';
import { layout } from './layout.ts';

const eta = new Eta({ autoEscape: true, autoTrim: false });
eta.loadTemplate('@layout', layout);

/** Makes a piece that templates include by `@name`. */
export const loadPartial = (name: string, template: string): void => eta.loadTemplate(`@${name}`, template);

/**
 * Compiles a page once; the result renders it inside the layout. `<%= %>` escapes, and no template uses `<%~ %>`
 * for anything but another template's output.
 */
export const compilePage = <View extends object>(template: string): ((view: View) => string) => {
  const compiled = eta.compile(template);
  return (view) => eta.render(compiled, view);
};
