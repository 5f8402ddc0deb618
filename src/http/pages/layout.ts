import { english, type Words } from '../../common/words.ts';
import { brandView, type BrandView } from './brand-view.ts';
import { markup, trusted, type Html, type Part } from './html.ts';
import { pageScriptPath } from './page-script.ts';
import { iconDefinitions } from './scope-icons.ts';

/** The parts of the service that a role sees, in the order of the bar, and where they are under `base`. */
export const areas = {
  account: '/account',
  organizations: '/admin',
  audit: '/audit',
  publisher: '/publisher',
  operator: '/operator',
  docs: '/docs',
} as const;

export type Area = keyof typeof areas;

/** A step of the way to a page, from the home of its area. `href` under `base`. */
export type Crumb = { readonly href: string; readonly label: string | Html };

export type Frame = {
  /** The path prefix of the service. */
  readonly base: string;
  readonly title: string;
  readonly hasProblem: boolean;
  readonly t?: Words;
  readonly brand?: BrandView;
  readonly signedIn?: string | null;
  /** Those of the user; a page on the way to an add-on leads to none. */
  readonly areas?: readonly Area[];
  readonly area?: Area;
  /** The second row of navigation: the lists of an area. */
  readonly navigation?: Html | null;
  readonly crumbs?: readonly Crumb[];
  readonly wide?: boolean;
  /** A page that waits for a result loads this address. */
  readonly refresh?: string | null;
  readonly script?: string;
  /** After that of all pages. */
  readonly stylesheet?: string;
  /** Whether it is that of the account; otherwise the page's script tells the server the browser's. */
  readonly isZoneChosen?: boolean;
  /** Of all times of the page, which names it once. */
  readonly zone?: string;
};

const ownBrand = brandView(null);

/** The layout of every page (PG-02). */
export const layout = (frame: Frame, content: Html): Html => {
  const {
    base,
    title,
    hasProblem,
    brand = ownBrand,
    wide = false,
    refresh,
    script,
    stylesheet,
    t = english,
  } = frame;
  const hasPassword = content.html.includes('type="password"');
  const zone = content.html.includes('<time') && frame.zone;
  const scripts = [script, (hasPassword || (zone && !frame.isZoneChosen)) && pageScriptPath].filter(Boolean);
  const hasAreas = (frame.areas ?? []).length > 0;
  return markup`<!doctype html>
<html lang="${t.tag}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
${refresh && markup`<meta http-equiv="refresh" content="2; url=${refresh}"> `}
<title>${hasProblem && t.frame.error}${title} – ${brand.name}</title>
<link rel="icon" href="${brand.icon}">
<link rel="stylesheet" href="${base}${brand.stylesheet.path}">
${stylesheet && markup`<link rel="stylesheet" href="${base}${stylesheet}"> `}
${scripts.map((path) => markup`<script src="${base}${path}" defer></script> `)}
</head>
<body${hasPassword && markup` data-show="${t.passwords.show}"`}>
${hasAreas && markup`<a class="skip" href="#content">${t.frame.skip}</a> `}
<header class="bar">
<a class="brand" href="${base}/">${brand.mark}</a>
${bar(frame)}
</header>
${frame.navigation && markup`<div class="lists">${frame.navigation}</div> `}
<main id="content" class="${wide ? 'wide' : 'narrow'}">${trusted(iconDefinitions(content.html))}${way(frame)}${content}${zone && markup`<p class="soft small">${t.frame.timesIn(zone)}</p> `}</main>
<footer class="foot">
<nav aria-label="${t.frame.service}">
${brand.links.map(({ href, label }) => markup`<a href="${href.startsWith('/') ? base : ''}${href}">${t.frame.links[label]}</a> `)}
</nav>
</footer>
</body>
</html> `;
};

const bar = ({ base, signedIn, areas: shown = [], area, t = english }: Frame): Part => {
  if (!signedIn) return null;
  const who = markup`<span class="who"><bdi>${signedIn}</bdi></span>`;
  const signOut = markup`<a href="${base}/sign-out">${t.frame.signOut}</a>`;
  if (shown.length === 0)
    return markup`<nav class="own" aria-label="${t.frame.accountArea}">${who} <a href="${base}/account">${t.frame.account}</a> ${signOut}</nav>`;
  const links = shown.map(
    (one) =>
      markup`<a href="${base}${areas[one]}"${one === area && trusted(' aria-current="true"')}>${t.frame.areas[one]}</a> `,
  );
  return markup`<nav class="areas" aria-label="${t.frame.areasOf}">${links}</nav>
<div class="account">${who} ${signOut}</div>
<details class="menu">
<summary>${t.frame.menu}</summary>
<nav aria-label="${t.frame.areasOf}">${links}${who} ${signOut}</nav>
</details>`;
};

const way = ({ base, crumbs = [], t = english }: Frame): Part =>
  crumbs.length > 0 &&
  markup`<nav class="crumbs" aria-label="${t.frame.way}">
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
