/** Pieces of templates for tables that become lists where a page is narrow; the roles keep them tables for whoever listens. */

export const column = (label: string): string => `<th scope="col" role="columnheader">${label}</th>`;

export const rowHead = (inner: string): string => `<th scope="row" role="rowheader">${inner}</th>`;

export const cell = (label: string, inner: string): string =>
  `<td role="cell" data-label="${label}">${inner}</td>`;

/** Of a variable with an RFC 3339 time; `words` has to be there. */
export const time = (variable: string): string =>
  `<time datetime="<%= ${variable} %>"><%= words.momentOf(${variable}) %></time>`;
