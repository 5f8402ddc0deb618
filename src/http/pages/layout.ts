import { brandView, type BrandView } from './brand-view.ts';
import { markup, trusted, type Html, type Part } from './html.ts';

/** The parts of the service that a role sees, in the order of the bar. */
export const areas = {
  account: { href: '/account', label: 'Your account' },
  organizations: { href: '/admin', label: 'Organizations' },
  audit: { href: '/audit', label: 'Audit log' },
  publisher: { href: '/publisher', label: 'Publisher' },
  operator: { href: '/operator', label: 'Operator' },
  docs: { href: '/docs', label: 'API reference' },
} as const;

export type Area = keyof typeof areas;

/** A step of the way to a page, from the home of its area. `href` under `base`. */
export type Crumb = { readonly href: string; readonly label: string | Html };

export type Frame = {
  /** The path prefix of the service. */
  readonly base: string;
  readonly title: string;
  readonly hasProblem: boolean;
  readonly brand?: BrandView;
  /** The name of the signed-in user. */
  readonly signedIn?: string | null;
  /** Those of the user; a page on the way to an add-on leads to none. */
  readonly areas?: readonly Area[];
  readonly area?: Area;
  readonly crumbs?: readonly Crumb[];
  readonly wide?: boolean;
  /** A page that waits for a result loads this address. */
  readonly refresh?: string | null;
  /** Of the pages that ask for a passkey. */
  readonly script?: string;
};

const ownBrand = brandView(null);

/** The layout of every page (PG-02). */
export const layout = (frame: Frame, content: Html): Html => {
  const { base, title, hasProblem, brand = ownBrand, wide = false, refresh, script } = frame;
  const hasAreas = (frame.areas ?? []).length > 0;
  return markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh && markup`<meta http-equiv="refresh" content="2; url=${refresh}"> `}
<title>${hasProblem ? 'Error: ' : ''}${title} – ${brand.name}</title>
<link rel="icon" href="${brand.icon}">
<link rel="stylesheet" href="${base}${brand.stylesheet.path}">
${script && markup`<script src="${base}${script}" defer></script> `}
</head>
<body>
${hasAreas && markup`<a class="skip" href="#content">Skip to the content</a> `}
<header class="bar">
<a class="brand" href="${base}/">${brand.mark}</a>
${bar(frame)}
</header>
<main id="content" class="${wide ? 'wide' : 'narrow'}">${way(frame)}${content}</main>
<footer class="foot">
<nav aria-label="Service">
${brand.links.map(({ href, label }) => markup`<a href="${href.startsWith('/') ? base : ''}${href}">${label}</a> `)}
</nav>
</footer>
</body>
</html> `;
};

const bar = ({ base, signedIn, areas: shown = [], area }: Frame): Part => {
  if (!signedIn) return null;
  const who = markup`<span class="who"><bdi>${signedIn}</bdi></span>`;
  const signOut = markup`<a href="${base}/sign-out">Sign out</a>`;
  if (shown.length === 0)
    return markup`<nav aria-label="Account">${who} <a href="${base}/account">Your account</a> ${signOut}</nav>`;
  const links = shown.map(
    (one) =>
      markup`<a href="${base}${areas[one].href}"${one === area && trusted(' aria-current="true"')}>${areas[one].label}</a> `,
  );
  return markup`<nav class="areas" aria-label="Areas">${links}</nav>
<div class="account">${who} ${signOut}</div>
<details class="menu">
<summary>Menu</summary>
<nav aria-label="Areas">${links}${who} ${signOut}</nav>
</details>`;
};

const way = ({ base, crumbs = [] }: Frame): Part =>
  crumbs.length > 0 &&
  markup`<nav class="crumbs" aria-label="Breadcrumb">
<ol>
${crumbs.map(
  ({ href, label }) =>
    markup`<li>
<a href="${base}${href}">${typeof label === 'string' ? markup`<bdi>${label}</bdi>` : label}</a>
</li>`,
)}
</ol>
</nav>
`;
