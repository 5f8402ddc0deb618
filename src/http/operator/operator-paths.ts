import { page, pageTrouble, toSignIn } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';

/** Pages for operators. */
export const operatorPaths = {
  '/operator': {
    GET: {
      tag: 'Pages',
      security: ['session'],
      id: 'operator-page',
      summary: 'Show the operators’ home',
      description:
        'For accounts with the role of an operator: the lag of the read models, leaders, running instances, parked events and rebuilds; and the way to organizations, users, add-ons and grants.',
      answers: [page(200, 'The page.'), toSignIn, page(403, 'Not an operator.'), ...pageTrouble],
    },
  },
} satisfies Paths;
