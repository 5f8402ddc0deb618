import { formRefused, goOn, page, pageTrouble, toSignIn } from '../openapi/answers.ts';
import type { Paths } from '../openapi/describe.ts';
import { button, signedIn } from '../openapi/page-operations.ts';

const none = page(404, 'There is no such passkey.');
const refused = page(403, 'The form was not made for this session, or the account cannot have passkeys.');

/** The pages on which users add, rename and remove passkeys. */
export const passkeyPaths = {
  '/account/passkeys/new': {
    GET: {
      ...signedIn,
      id: 'new-passkey-page',
      summary: 'Show the page that adds a passkey',
      description:
        'One of the two pages with a script. Asks for another sign-in when the last one was too long ago.',
      answers: [page(200, 'The page, or why there are no passkeys here.'), toSignIn, refused, ...pageTrouble],
    },
    POST: {
      ...signedIn,
      id: 'add-passkey',
      summary: 'Add a passkey',
      form: 'NewPasskeyForm',
      answers: [
        page(200, 'Why there are no passkeys here.'),
        goOn('To the account page, or to the sign-in page.', '/account'),
        refused,
        page(409, 'The account already has this passkey.'),
        ...pageTrouble,
      ],
    },
  },
  '/account/passkeys/{passkey_id}/rename': {
    GET: {
      ...signedIn,
      id: 'rename-passkey-page',
      summary: 'Show the form for another name of a passkey',
      answers: [page(200, 'The form.'), toSignIn, none, ...pageTrouble],
    },
    POST: {
      ...signedIn,
      id: 'rename-passkey',
      summary: 'Rename a passkey',
      form: 'RenamePasskeyForm',
      answers: [
        goOn('To the account page, or to the sign-in page.', '/account'),
        formRefused,
        none,
        ...pageTrouble,
      ],
    },
  },
  '/account/passkeys/{passkey_id}/remove': {
    GET: {
      ...signedIn,
      id: 'remove-passkey-page',
      summary: 'Ask for confirmation before a passkey is removed',
      answers: [page(200, 'The page.'), toSignIn, refused, none, ...pageTrouble],
    },
    POST: {
      ...button('remove-passkey', 'Remove a passkey', none),
      description: 'It signs nobody in from the answer on; other sessions that began with it end.',
    },
  },
} satisfies Paths;
