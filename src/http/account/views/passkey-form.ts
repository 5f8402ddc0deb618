import { markup, trusted, type Html, type Part } from '../../pages/html.ts';
import type { Localized } from '../../pages/render.ts';

/** What the pages with the script have in common. */
export type PasskeyFormView = Localized & {
  readonly base: string;
  readonly script: string;
  readonly challenge: string;
  /** For the browser, as JSON. */
  readonly options: string;
  readonly problem: string | null;
};

/** Where the script and the server say what is wrong; it gets the focus. The script hides what comes after it. */
export const troubleLine = ({ problem, reader: { words } }: PasskeyFormView): Html =>
  markup`<p class="alert" role="alert" id="trouble" tabindex="-1"${!problem && trusted(' hidden')}>${problem}</p>
<p class="notice" id="needs-script">${words.passkeys.needsScript}</p>`;

/** A form that the script sends. Without the script its button does nothing. */
export const passkeyForm = (
  { base, options, challenge, reader }: PasskeyFormView,
  { kind, action }: { readonly kind: 'add' | 'use'; readonly action: string },
  content: Part,
): Html => {
  const { unsupported, exists, failed } = reader.words.passkeys;
  return markup`<form method="post" action="${base}${action}" data-passkey="${kind}" data-options="${options}" data-unsupported="${unsupported}" data-exists="${exists}" data-failed="${failed}">
<input type="hidden" name="challenge" value="${challenge}">
<input type="hidden" name="credential" value="">
${content}
</form>`;
};
