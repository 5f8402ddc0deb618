import { confusionsAmong } from '../../tasks/addons/look-alikes.ts';
import { withTimeoutOrNull } from '../../common/with-timeout.ts';
import type { ActiveAddon, NameInUse, PartnerChange } from '../../projections/read-models.ts';
import type { AdminDependencies } from './dependencies.ts';
import { isUnfinished } from './views/addons-page.ts';

/** Days without use, and days in which a change is new. */
export const unusedDays = 90;
export const changedDays = 30;
/** Organizations that the home counts for. */
const mostSummed = 100;
/** Nothing waits longer for what may be missing, in milliseconds. */
const patience = 1_000;
const day = 86_400_000;

/** An add-on that an administrator should look at. */
export type Noted = Pick<ActiveAddon, 'addonId' | 'name'>;

export type OrganizationSummary = {
  readonly organizationId: string;
  readonly name: string;
  /** Null where that is not known at this moment. */
  readonly counts: { readonly active: number; readonly grants: number; readonly failing: number } | null;
  readonly noted: Readonly<
    Record<'unfinished' | 'failing' | 'alike' | 'changed' | 'unused', readonly Noted[]>
  >;
};

/** With what an active add-on could be confused, and what those who offer it changed lately, the newest first. */
export type Warnings = {
  readonly alike: readonly NameInUse[];
  readonly changes: readonly PartnerChange[];
};

type Shown = Pick<ActiveAddon, 'addonId' | 'name' | 'publisher' | 'publisherId' | 'activatedAt'>;

/** What administrators should look at, as far as it is known soon. */
export const makeAttention = ({
  browser,
  readModels,
  readsCountedSince,
  signalStreams,
}: Pick<AdminDependencies, 'browser' | 'readModels' | 'readsCountedSince' | 'signalStreams'>) => {
  const soon = async <T>(reading: Promise<T>) => withTimeoutOrNull(patience, reading);

  /** A change before the activation was there to be seen. */
  const warningsAbout = async (addons: readonly Shown[]): Promise<(addon: Shown) => Warnings> => {
    if (addons.length === 0) return () => ({ alike: [], changes: [] });
    const ids = [...new Set(addons.map(({ addonId }) => addonId))];
    const [names, changes] = await Promise.all([
      soon(readModels.namesInUse()),
      soon(readModels.partnerChanges(ids, browser.now() - changedDays * day)),
    ]);
    const confusionsOf = confusionsAmong(names ?? []);
    return (addon) => ({
      alike: confusionsOf(addon),
      changes: (changes ?? []).filter(
        ({ addonId, at }) => addonId === addon.addonId && at > addon.activatedAt,
      ),
    });
  };

  /** Active add-ons that cannot be notified. */
  const failingAmong = async (addonIds: readonly string[]): Promise<ReadonlySet<string>> =>
    (addonIds.length === 0 ? null : await soon(signalStreams.failingAmong(addonIds))) ?? new Set();

  const summaries = async (
    organizations: readonly Pick<OrganizationSummary, 'organizationId' | 'name'>[],
  ): Promise<readonly OrganizationSummary[]> => {
    const summed = organizations.slice(0, mostSummed).map(({ organizationId }) => organizationId);
    const read = async () =>
      readModels.activeAddons(summed, {
        since: browser.now() - unusedDays * day,
        countedSince: await readsCountedSince(),
      });
    const known = summed.length === 0 ? [] : await soon(read());
    const active = known ?? [];
    const [warningsOf, failing] = await Promise.all([
      warningsAbout(active),
      failingAmong([...new Set(active.map(({ addonId }) => addonId))]),
    ]);
    return organizations.map((organization) => {
      const { organizationId } = organization;
      const here = active
        .filter((addon) => addon.organizationId === organizationId)
        .map((addon) => ({ ...addon, ...warningsOf(addon) }));
      const noted = {
        unfinished: here.filter(isUnfinished),
        failing: here.filter(({ addonId }) => failing.has(addonId)),
        alike: here.filter(({ alike }) => alike.length > 0),
        changed: here.filter(({ changes }) => changes.length > 0),
        unused: here.filter(({ unusedGrants }) => unusedGrants > 0),
      };
      const counts = {
        active: here.length,
        grants: here.reduce((sum, { liveGrants }) => sum + liveGrants, 0),
        failing: noted.failing.length,
      };
      const isKnown = known !== null && summed.includes(organizationId);
      return { ...organization, counts: isKnown ? counts : null, noted };
    });
  };

  return { summaries, failingAmong, warningsAbout };
};
