import { sentenceOf, type Sentence } from '../../audit/sentence.ts';
import { compilePage, sentence } from './render.ts';

export type MessageView = {
  readonly base: string;
  readonly title: string;
  /** Names in it are marked. */
  readonly message: string;
  /** For the add-on's developer: which input was wrong. */
  readonly detail?: string;
  readonly requestId?: string;
  /** Who is signed in, where that may be the reason. */
  readonly signedIn?: string;
  readonly next?: { readonly href: string; readonly label: string };
};

const render = compilePage<MessageView & { readonly words: Sentence }>(`<% layout('@layout') %>
<div class="card">
<h1><%= it.title %></h1>
<p>${sentence('it.words')}</p>
<% if (it.detail) { %><p class="soft small">For the developer: <code><%= it.detail %></code></p><% } %>
<% if (it.requestId) { %><p class="soft small">Reference: <code><%= it.requestId %></code></p><% } %>
<% if (it.next) { %><div class="actions"><a class="button plain" href="<%= it.base %><%= it.next.href %>"><%= it.next.label %></a></div><% } %>
</div>
`);

/** Something that the user can only be told: an error, or the end of a way. */
export const messagePage = (view: MessageView): string =>
  render({ ...view, words: sentenceOf(view.message) });
