import { formRefused, pageTrouble, page, goOn, toSignIn } from '../openapi/answers.ts';
import type { Operation, Paths } from '../openapi/describe.ts';

const signedIn = { tag: 'Pages', security: ['session'] } as const satisfies Partial<Operation>;
const none = page(404, 'There is no such token.');
const refused = page(403, 'The form was not made for this session, or there is nothing to administer.');

/** The pages on which administrators create and revoke their tokens. */
export const tokenPagePaths = {
  '/account/tokens/new': {
    GET: {
      ...signedIn,
      id: 'new-token-page',
      summary: 'Show the form for an administrator token',
      answers: [page(200, 'The form.'), toSignIn, refused, ...pageTrouble],
    },
    POST: {
      ...signedIn,
      id: 'make-token',
      summary: 'Make an administrator token',
      form: 'NewTokenForm',
      answers: [
        page(200, 'The token, shown this once.'),
        toSignIn,
        page(400, 'The form again, with what is wrong.'),
        refused,
        ...pageTrouble,
      ],
    },
  },
  '/account/tokens/{token_id}/revoke': {
    GET: {
      ...signedIn,
      id: 'revoke-token-page',
      summary: 'Ask for confirmation before an administrator token is revoked',
      answers: [page(200, 'The page.'), toSignIn, none, ...pageTrouble],
    },
    POST: {
      ...signedIn,
      id: 'revoke-token',
      summary: 'Revoke an administrator token',
      description: 'The token is refused in every request that begins after the answer.',
      form: 'SessionForm',
      answers: [
        goOn('To the remaining tokens, or to the sign-in page.', '/account'),
        formRefused,
        none,
        ...pageTrouble,
      ],
    },
  },
} satisfies Paths;
