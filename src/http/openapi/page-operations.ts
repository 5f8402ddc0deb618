import { formRefused, goOn, pageTrouble } from './answers.ts';
import type { Operation } from './describe.ts';

/** Operations of pages: for everybody, and for signed-in users. */
export const open = { tag: 'Pages', security: [] } as const satisfies Partial<Operation>;
export const signedIn = { tag: 'Pages', security: ['session'] } as const satisfies Partial<Operation>;

/** A form with no fields but the session's token. */
export const button = (id: string, summary: string, ...more: Operation['answers']): Operation => ({
  ...signedIn,
  id,
  summary,
  form: 'SessionForm',
  answers: [
    goOn(
      'On: to the add-on’s configuration URL, to the page that shows the effect, or to the sign-in page.',
      '/admin',
    ),
    formRefused,
    ...more,
    ...pageTrouble,
  ],
});
