/** Template parts for tables that become lists on narrow pages; ARIA roles keep them tables for screen readers. */

export const column = (label: string): string => `<th scope="col" role="columnheader">${label}</th>`;

export const rowHead = (inner: string): string => `<th scope="row" role="rowheader">${inner}</th>`;

export const cell = (label: string, inner: string): string =>
  `<td role="cell" data-label="${label}">${inner}</td>`;

/** For a variable with an RFC 3339 time; the template needs `words`. */
export const time = (variable: string): string =>
  `<time datetime="<%= ${variable} %>"><%= words.momentOf(${variable}) %></time>`;
