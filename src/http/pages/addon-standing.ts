import { markName } from '../../domain/kernel/sentence.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { brandView, type BrandView } from './brand-view.ts';
import { badge } from './components.ts';
import { markup, say, stress, type Html } from './html.ts';
import type { Localized } from './render.ts';

export type Standing = {
  readonly publisher: string | null;
  /** Whether an operator says that the platform has checked it. */
  readonly verified: boolean;
  /** Null: it is not said. */
  readonly registeredAt: Instant | null;
};

/** Who offers an add-on, whether the platform has checked it, and since when it is registered; wherever somebody decides about it. */
export const standingHtml = (
  { brand = brandView(null), reader }: Localized & { readonly brand?: BrandView },
  { publisher, verified, registeredAt }: Standing,
): Html => {
  const { approve } = reader.words;
  const platform = markName(brand.name);
  const checked = verified
    ? badge('good', say(approve.verified(platform)))
    : badge('off', say(approve.notVerified(platform)));
  return markup`<p class="soft small links">${publisher && markup`<span>${stress(approve.by(markName(publisher)))} ·</span> `}<span>${checked}${registeredAt !== null && ' ·'}</span>${registeredAt !== null && markup` <span>${approve.registeredSince(reader.dayOf(registeredAt))}</span>`}</p>`;
};
