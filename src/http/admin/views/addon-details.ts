import type { Logo } from '../../../domain/addons/addon.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { dataUrlOf } from '../../pages/data-url.ts';
import { compile } from '../../pages/render.ts';

type Details = Pick<Addon, 'publisher' | 'website' | 'privacyUrl' | 'supportUrl'>;

const render = compile<Details & { logo: string | null }>(`<% if (it.logo) { %>
<p><img src="<%= it.logo %>" alt="" width="64" height="64"></p>
<% } %><% if (it.publisher || it.website || it.privacyUrl || it.supportUrl) { %>
<dl class="facts">
<% if (it.publisher) { %><dt>Publisher</dt><dd><bdi><%= it.publisher %></bdi></dd><% } %>
<% if (it.website) { %><dt>Website</dt><dd><a href="<%= it.website %>" rel="noreferrer"><bdi><%= it.website %></bdi></a></dd><% } %>
<% if (it.privacyUrl) { %><dt>Privacy</dt><dd><a href="<%= it.privacyUrl %>" rel="noreferrer"><bdi><%= it.privacyUrl %></bdi></a></dd><% } %>
<% if (it.supportUrl) { %><dt>Support</dt><dd><a href="<%= it.supportUrl %>" rel="noreferrer"><bdi><%= it.supportUrl %></bdi></a></dd><% } %>
</dl>
<% } %>`);

/**
 * What an add-on's operator registered about it, as HTML; empty if nothing. The logo is part of the page, of a type that
 * we choose: no request for it, and nothing in it can run.
 */
export const addonDetails = (
  { publisher, website, privacyUrl, supportUrl }: Details,
  logo: Logo | null,
): string =>
  render({
    publisher,
    website,
    privacyUrl,
    supportUrl,
    logo: logo && dataUrlOf(logo),
  }).trim();
