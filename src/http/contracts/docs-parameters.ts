import { z } from 'zod';
import { logoutParameters } from './logout-parameters.ts';

/** Of every page of the documentation. */
export const docsParameters = logoutParameters.pick({ ui_locales: true });

export const problemsParameters = docsParameters.extend({
  q: z
    .string()
    .optional()
    .describe('Shows only problems with all of these words in their name, title or text, or of this `type`.'),
});
