import { english } from '../../common/words.ts';
import unhomoglyph from 'unhomoglyph';
import { withInvisibleShown } from '../../domain/kernel/name.ts';
import type { NameInUse } from '../../projections/read-models.ts';
import type { Services, TaskRefused } from '../task.ts';

/** The skeleton of a name (UTS 39 §4, Unicode's table): names that look alike have the same one. A browser shows a run of spaces as one. */
const skeletonOf = (name: string): string =>
  unhomoglyph(withInvisibleShown(name).replaceAll('\uFFFD', '').normalize('NFD'))
    .normalize('NFD')
    .replace(/\s+/g, ' ')
    .trim();

type Named = { readonly addonId: string; readonly name: string };

/** Those among them whose name is this one, or looks like it. */
export const findAlike = <Addon extends Named>(name: string, addons: readonly Addon[]): readonly Addon[] => {
  const skeleton = skeletonOf(name);
  return addons.filter((addon) => skeletonOf(addon.name) === skeleton);
};

/**
 * Finds with what else people could confuse an add-on: another one that had the name before it (FX-54), or, by the publisher that it
 * shows, one whose members do not look after it.
 */
export const confusionsAmong = (names: readonly NameInUse[]) => {
  const alike = new Map<string, NameInUse[]>();
  for (const each of names) {
    const key = `${each.kind} ${skeletonOf(each.name)}`;
    const others = alike.get(key);
    if (others) others.push(each);
    else alike.set(key, [each]);
  }
  const others = (kind: NameInUse['kind'], name: string | null, own: string | null) =>
    (name === null ? [] : (alike.get(`${kind} ${skeletonOf(name)}`) ?? [])).filter(({ id }) => id !== own);
  const addons = new Map(names.filter(({ kind }) => kind === 'addon').map((each) => [each.id, each]));
  return ({ addonId, name, publisher, publisherId }: Shown): readonly NameInUse[] => [
    ...others('addon', name, addonId).filter((other) => isBefore(other, addons.get(addonId))),
    ...others('publisher', publisher, publisherId),
  ];
};

const isBefore = (one: NameInUse, other: NameInUse | undefined): boolean =>
  other === undefined || one.since < other.since || (one.since === other.since && one.id < other.id);

type Shown = Named & { readonly publisher: string | null; readonly publisherId: string | null };

/** For a message: the names, with their ids. */
const namedAlike = (alike: readonly Named[]): string =>
  alike.map(({ addonId, name }) => `"${name}" (${addonId})`).join(', ');

export const looksAlike = (alike: readonly Named[]): TaskRefused => {
  const named = namedAlike(alike);
  return {
    ok: false,
    refusal: 'name-looks-alike',
    message: `the name is that of another add-on, or looks like it, so users could confuse them: ${named}; to use it all the same, use force`,
    problems: [{ field: 'name', message: english.problems.alike(named) }],
  };
};

/** The add-ons that one would be confused with under a new name; none when the name stays. `addonId` is null before registration. */
export const findAlikeOf = async (
  { readModels, settle }: Pick<Services, 'readModels' | 'settle'>,
  addonId: string | null,
  name: string | undefined,
): Promise<readonly Named[]> => {
  if (name === undefined) return [];
  await settle();
  const present = (await readModels.addons()).filter((addon) => !addon.retired);
  const stays = present.some((addon) => addon.addonId === addonId && addon.name === name);
  return stays
    ? []
    : findAlike(
        name,
        present.filter((addon) => addon.addonId !== addonId),
      );
};
