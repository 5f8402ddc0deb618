import { makeReader, type Reader } from '../words/reader.ts';
import type { Html } from './html.ts';
import { layout, type Frame } from './layout.ts';

/** What a page of a signed-in user is made with; `signedIn` is the name that the bar shows. */
export type PageView = Pick<Frame, 'brand' | 'areas' | 'area' | 'navigation'> &
  Localized & {
    readonly base: string;
    readonly signedIn: string;
  };

export type FormView = PageView & { readonly csrf: string };

/** Where an add-on of an organization is managed. */
export const addonPath = ({ base, organization, addon }: AddonOfOrganization): string =>
  `${base}/admin/organizations/${organization.organizationId}/addons/${addon.addonId}`;

type AddonOfOrganization = {
  readonly base: string;
  readonly organization: { readonly organizationId: string };
  readonly addon: { readonly addonId: string };
};

/** In whose language and time zone a page is. */
export type Localized = { readonly reader: Reader };

/** For pages that are the same for everybody. */
const english = makeReader();

/** A page inside the layout. The title of a view with a problem begins with the error, because screen readers read the title first. */
export const page =
  <View extends object>(
    title: string | ((view: View) => string),
    body: (view: View) => Html,
    more: (view: View) => Partial<Frame> = () => ({}),
  ): ((view: View) => string) =>
  (view) => {
    const named = { title: typeof title === 'string' ? title : title(view), hasProblem: hasProblem(view) };
    const { reader = english } = view as Partial<Localized>;
    const { words: t, isZoneChosen, timeZone: zone } = reader;
    return layout({ base: '', t, isZoneChosen, zone, ...view, ...named, ...more(view) }, body(view)).html;
  };

const hasProblem = (view: { readonly problem?: unknown; readonly problems?: readonly unknown[] }): boolean =>
  Boolean(view.problem) || (view.problems ?? []).length > 0;
