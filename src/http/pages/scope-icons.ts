import type { Scope } from '../../domain/access/scope.ts';

const records = '<path d="M5 3h7l3 3v11H5zM8 9h4M8 12h4"/>';

const icons: Readonly<Partial<Record<Scope, string>>> = {
  openid: '<circle cx="10" cy="7" r="3"/><path d="M4 17c0-4 3-5.5 6-5.5s6 1.5 6 5.5"/>',
  profile: '<path d="M3 5h14v10H3zM11 8h4M11 11h4"/><circle cx="7" cy="9" r="1.5"/>',
  email: '<path d="M3 5h14v10H3zM3 6l7 5 7-5"/>',
  'profiles:read':
    '<circle cx="7.5" cy="7" r="2.5"/><path d="M3 16c0-3.5 2-4.5 4.5-4.5s4.5 1 4.5 4.5M13 5a2.5 2.5 0 0 1 0 5M14.5 12c1.5.5 2.5 1.5 2.5 4"/>',
  'reservations:read': '<path d="M3 5h14v12H3zM3 9h14M7 3v4M13 3v4"/>',
  'access-rights:read': '<circle cx="6.5" cy="10" r="3"/><path d="M9.5 10H17v3M14 10v2"/>',
};

const idOf = (scope: string): string => `scope-${scope.replaceAll(/\W/g, '-')}`;

const symbol = (id: string, path: string): string =>
  `<symbol id="${id}" viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round">${path}</symbol>`;

/** Drawn in the page itself: no request, and nothing for the policy to allow. */
export const scopeIcon = (scope: Scope): string =>
  `<svg class="icon" width="20" height="20" aria-hidden="true"><use href="#${idOf(scope in icons ? scope : 'records')}"/></svg>`;

const definitions = `<svg class="definitions" width="0" height="0" aria-hidden="true" focusable="false"><defs>${Object.entries(
  { ...icons, records },
)
  .map(([scope, path]) => symbol(idOf(scope), path))
  .join('')}</defs></svg>`;

/** What the icons of a page are drawn from, once. */
export const iconDefinitions = (content: string): string =>
  content.includes('href="#scope-') ? definitions : '';
