import type { Localized } from '../../pages/render.ts';

/** What the pages with the script have in common: `it.options` for the browser, and `it.problem`. */
export type PasskeyFormView = Localized & {
  readonly base: string;
  readonly script: string;
  readonly challenge: string;
  /** For the browser, as JSON. */
  readonly options: string;
  readonly problem: string | null;
};

/** Where the script and the server say what is wrong; it gets the focus. The script hides what comes after it. */
export const troubleLine = `<p class="alert" role="alert" id="trouble" tabindex="-1"<% if (!it.problem) { %> hidden<% } %>><%= it.problem ?? '' %></p>
<p class="notice" id="needs-script"><%= it.t.passkeys.needsScript %></p>`;

/** The beginning of a form that the script sends. Without the script its button does nothing. */
export const passkeyForm = (kind: 'add' | 'use', action: string): string =>
  `<form method="post" action="<%= it.base %>${action}" data-passkey="${kind}" data-options="<%= it.options %>" data-unsupported="<%= it.t.passkeys.unsupported %>" data-exists="<%= it.t.passkeys.exists %>" data-failed="<%= it.t.passkeys.failed %>">
<input type="hidden" name="challenge" value="<%= it.challenge %>">
<input type="hidden" name="credential" value="">`;
