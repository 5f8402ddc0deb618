import { choosePasswordQuery } from '../contracts/page-forms.ts';
import { formRefused, goOn, page, pageTrouble, toSignIn } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { always } from '../openapi/headers.ts';
import { open, signedIn } from '../openapi/page-operations.ts';

const wrongField = page(400, 'The form again, with what is wrong.');
const tooMany = page(429, 'Too many attempts; this one was not checked.', { 'Retry-After': always() });
const noLink = page(404, 'The link is not valid: it was used, replaced, changed, or is too old.');
const off = page(403, 'Passwords are switched off (`LOCAL_SIGN_IN=off`).');
const trouble = pageTrouble.filter(({ status }) => status !== 400);

/** The pages on which people change and choose their passwords. */
export const passwordPaths = {
  '/account/password': {
    GET: {
      ...signedIn,
      id: 'change-password-page',
      summary: 'Show the form for another password',
      answers: [page(200, 'The form.'), toSignIn, off, ...pageTrouble],
    },
    POST: {
      ...signedIn,
      id: 'change-password',
      summary: 'Change the password',
      description: 'Ends all other sessions and the administrator tokens of the user.',
      form: 'ChangePasswordForm',
      answers: [
        goOn('To the account page, or to the sign-in page.', '/account'),
        wrongField,
        page(401, 'The form again: the present password is wrong.'),
        formRefused,
        tooMany,
        ...trouble,
      ],
    },
  },
  '/.well-known/change-password': {
    GET: {
      ...open,
      id: 'well-known-change-password',
      summary: 'Find the page on which people change their passwords',
      description:
        'Password managers and browsers open this address (W3C, A Well-Known URL for Changing Passwords).',
      answers: [goOn('To the page.', '/account/password')],
    },
  },
  '/choose-password': {
    GET: {
      ...open,
      id: 'choose-password-page',
      summary: 'Show the form of a link for choosing a password',
      description: 'Changes nothing: the link works once, for the form.',
      query: choosePasswordQuery,
      answers: [page(200, 'The form.'), noLink, off, ...pageTrouble],
    },
    POST: {
      ...open,
      id: 'choose-password',
      summary: 'Choose a password by a link',
      description:
        'Uses up the link; ends all sessions and administrator tokens of the user, and unlinks the identities of providers that the form does not keep.',
      form: 'ChoosePasswordForm',
      answers: [page(200, 'The password was saved.'), noLink, off, wrongField, tooMany, ...trouble],
    },
  },
} satisfies Paths;
