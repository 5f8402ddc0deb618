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
  `<div class="card">
<h1><%= it.title %></h1>
<p><%~ it.say(it.message) %></p>
<% if (it.detail) { %><p class="soft small"><%= it.t.frame.forDeveloper %> <code><%= it.detail %></code></p><% } %>
<% if (it.requestId) { %><p class="soft small"><%= it.t.frame.reference %> <code><%= it.requestId %></code></p><% } %>
<% if (it.next) { %><div class="actions"><a class="button plain" href="<%= it.next.href.startsWith('/') ? it.base : '' %><%= it.next.href %>"><%= it.next.label %></a></div><% } %>
</div>
`,
);
