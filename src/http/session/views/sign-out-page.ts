import { compilePage } from '../../pages/render.ts';

export type SignOutView = { readonly base: string; readonly csrf: string; readonly signedIn: string };

const render = compilePage<SignOutView & { title: string }>(`<% layout('@layout') %>
<div class="card">
<h1>Sign out</h1>
<p>You are signed in as <strong><bdi><%= it.signedIn %></bdi></strong>. Add-ons that you allowed keep working.</p>
<form method="post" action="<%= it.base %>/sign-out">
<input type="hidden" name="csrf" value="<%= it.csrf %>">
<div class="actions"><button type="submit">Sign out</button> <a class="button plain" href="<%= it.base %>/admin">Stay</a></div>
</form>
</div>
`);

export const signOutPage = (view: SignOutView): string => render({ ...view, title: 'Sign out' });
