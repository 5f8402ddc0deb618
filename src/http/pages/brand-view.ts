import { createHash } from 'node:crypto';
import type { Brand } from '../../config/brand.ts';
import type { Words } from '../../common/words.ts';
import { dataUrlOf } from './data-url.ts';
import { markup, trusted, type Html } from './html.ts';
import { stylesheet } from './stylesheet.ts';

/** What pages show of the platform's brand (PG-01). */
export type BrandView = {
  readonly name: string;
  /** A data URL. */
  readonly icon: string;
  /** The logo has the name in it, or a mark stands before it. */
  readonly mark: Html;
  /** Of the foot of every page: a path under `base`, or another site. */
  readonly links: readonly { readonly href: string; readonly label: keyof Words['frame']['links'] }[];
  /** Its address changes with the content, so that it may be cached permanently. */
  readonly stylesheet: { readonly path: string; readonly text: string };
};

const ownIcon = (color: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><rect width="24" height="24" rx="6" fill="${color}"/><path d="M7 5.5h10v13l-5-3.4-5 3.4z" fill="#fff"/></svg>`;

const ownMark = trusted(
  '<svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false"><rect width="24" height="24" rx="6" class="mark-back"/><path d="M7 5.5h10v13l-5-3.4-5 3.4z" class="mark-front"/></svg>',
);

/** The logo and the colours are in the stylesheet: every page may show them, and none of them has a style of its own. */
const rules = ({ accent, logo }: Brand): string => {
  const colors =
    accent === null
      ? ''
      : `
:root { --accent: ${accent.color}; --on-accent: ${accent.onColor}; --link: ${accent.light}; }
@media screen and (prefers-color-scheme: dark) { :root { --accent: ${accent.color}; --on-accent: ${accent.onColor}; --link: ${accent.dark}; } }
`;
  const picture =
    logo === null
      ? ''
      : `
.brand .logo { display: block; height: 1.75rem; aspect-ratio: ${logo.width} / ${logo.height}; max-width: 10rem; background: url("${dataUrlOf(logo)}") left center / contain no-repeat; print-color-adjust: exact; }
`;
  return colors + picture;
};

export const brandView = (brand: Brand | null): BrandView => {
  const text = brand === null ? stylesheet : stylesheet + rules(brand);
  const version = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const own = { mediaType: 'image/svg+xml', data: Buffer.from(ownIcon('#14595b')).toString('base64') };
  const links = brand === null ? [] : linksOf(brand);
  return {
    name: brand?.name ?? 'Grantbook',
    icon: dataUrlOf(brand?.icon ?? own),
    mark: markOf(brand),
    links: [...links, { href: '/docs', label: 'docs' }],
    stylesheet: { path: `/assets/grantbook-${version}.css`, text },
  };
};

const markOf = (brand: Brand | null): Html => {
  const name = brand?.name ?? 'Grantbook';
  if (brand?.logo) return markup`<span class="logo"></span><span class="hidden">${name}</span>`;
  return markup`${brand === null && ownMark}<span>${name}</span>`;
};

const linksOf = ({ supportUrl, supportEmail, termsUrl, privacyUrl }: Brand): BrandView['links'] =>
  (
    [
      { href: supportUrl ?? (supportEmail && `mailto:${supportEmail}`), label: 'support' },
      { href: termsUrl, label: 'terms' },
      { href: privacyUrl, label: 'privacy' },
    ] as const
  ).flatMap(({ href, label }) => (href === null ? [] : [{ href, label }]));
