import { markup, say } from './html.ts';
import type { Frame } from './layout.ts';
import { type Localized, page } from './render.ts';

export type MessageView = Localized &
  Pick<Frame, 'area' | 'areas' | 'brand'> & {
    readonly base: string;
    readonly title: string;
    /** May contain marked names (`markName`). */
    readonly message: string;
    /** For the add-on's developer: which input is wrong. */
    readonly detail?: string;
    readonly requestId?: string;
    /** The signed-in user, where that may be the reason. */
    readonly signedIn?: string;
    readonly next?: { readonly href: string; readonly label: string };
  };

/** A page with only a message: an error, or the end of a process. */
export const messagePage = page<MessageView>(
  ({ title }) => title,
  ({ base, title, message, detail, requestId, next, reader: { words } }) =>
    markup`<div class="card">
<h1>${title}</h1>
<p>${say(message)}</p>
${detail && markup`<p class="soft small">${words.frame.forDeveloper} <code>${detail}</code></p>`}
${requestId && markup`<p class="soft small">${words.frame.reference} <code>${requestId}</code></p>`}
${next && markup`<div class="actions"><a class="button plain" href="${next.href.startsWith('/') && base}${next.href}">${next.label}</a></div>`}
</div>
`,
);
