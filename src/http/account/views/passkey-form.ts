/** What the pages with the script have in common: `it.options` for the browser, and `it.problem`. */
export type PasskeyFormView = {
  readonly base: string;
  readonly script: string;
  readonly challenge: string;
  /** For the browser, as JSON. */
  readonly options: string;
  readonly problem: string | null;
};

/** Where the script and the server say what is wrong; it gets the focus. The script hides what comes after it. */
export const troubleLine = `<p class="alert" role="alert" id="trouble" tabindex="-1"<% if (!it.problem) { %> hidden<% } %>><%= it.problem ?? '' %></p>
<p class="notice" id="needs-script">This page needs JavaScript, because only a script can ask the browser for a passkey.</p>`;

/** The beginning of a form that the script sends. Without the script its button does nothing. */
export const passkeyForm = (kind: 'add' | 'use', action: string): string =>
  `<form method="post" action="<%= it.base %>${action}" data-passkey="${kind}" data-options="<%= it.options %>" data-unsupported="This browser cannot use passkeys." data-exists="This device already has a passkey for your account." data-failed="The browser gave no passkey. Try again.">
<input type="hidden" name="challenge" value="<%= it.challenge %>">
<input type="hidden" name="credential" value="">`;
