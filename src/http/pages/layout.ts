import { stylesheetPath } from './stylesheet.ts';

/**
 * The layout of every page. `it.base` is the path prefix of the service, `it.signedIn` the signed-in user;
 * documentation pages have an additional stylesheet, the pages that ask for a passkey a script, and a page that waits for a result loads `it.again`.
 */
export const layout = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<% if (it.again) { %><meta http-equiv="refresh" content="2; url=<%= it.again %>"><% } %>
<title><%= it.title %> – Grantbook</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="<%= it.base %>${stylesheetPath}">
<% if (it.script) { %><script src="<%= it.base %><%= it.script %>" defer></script><% } %>
<% if (it.stylesheet) { %><link rel="stylesheet" href="<%= it.base %><%= it.stylesheet %>"><% } %>
</head>
<body>
<header class="bar">
<a class="brand" href="<%= it.base %>/admin">Grantbook</a>
<% if (it.signedIn) { %><nav aria-label="Account"><span class="who"><bdi><%= it.signedIn %></bdi></span> <a href="<%= it.base %>/account">Your account</a> <a href="<%= it.base %>/sign-out">Sign out</a></nav><% } %>
</header>
<main class="<%= it.reader ? 'reader' : it.wide ? 'wide' : 'narrow' %>">
<%~ it.body %>
</main>
</body>
</html>
`;
