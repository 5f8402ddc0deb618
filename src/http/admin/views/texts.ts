import { askableWith, type AllowedScope } from '../../../domain/access/scope.ts';
import { isUserId } from '../../../domain/kernel/actor.ts';
import { markName } from '../../../domain/kernel/sentence.ts';
import { moment } from '../../pages/components.ts';
import type { filled } from '../../pages/html.ts';
import type { Crumb } from '../../pages/layout.ts';
import type { Localized } from '../../pages/render.ts';
import type { Reader } from '../../words/reader.ts';
import { accessInShort } from '../../words/access.ts';

type Named = { readonly organizationId: string; readonly name: string };

export const crumbsTo = (
  { reader: { words } }: Localized,
  organization?: Named,
  addon?: { readonly addonId: string; readonly name: string },
): readonly Crumb[] => {
  const here = `/admin/organizations/${organization?.organizationId}`;
  return [
    { href: '/admin', label: words.frame.areas.organizations },
    ...(organization ? [{ href: here, label: organization.name }] : []),
    ...(addon ? [{ href: `${here}/addons/${addon.addonId}`, label: addon.name }] : []),
  ];
};

/** What an add-on may ask for. */
export const asksText = (reader: Reader, allowed: readonly AllowedScope[]): string =>
  accessInShort(reader, askableWith(allowed)) || reader.words.admin.noRecords;

/** The host to which an administrator is sent after activating, as the browser's address bar shows it. */
export const hostOf = (configurationUrl: string): string =>
  new URL(configurationUrl).host || configurationUrl;

export const isoOf = (instant: number): string => new Date(instant).toISOString();
export const isoOrNull = (instant: number | null): string | null =>
  instant === null ? null : isoOf(instant);

export const marked = (name: string | null): string | null => name && markName(name);

/** Null for the operator; the id of a person whose name is not known. */
export const actorOf = (by: string, names: ReadonlyMap<string, string>): string | null =>
  names.get(by) ?? (isUserId(by) ? by : null);

type Slot = Parameters<Parameters<typeof filled>[0]>[0];

/** A time in a text of the catalogue. */
export const timeIn = (reader: Reader, slot: Slot, at: string | null): string | null =>
  at && slot(moment(reader, at));

/** When something was done, and by whom. */
export const doneText = (
  reader: Reader,
  slot: Slot,
  { by, at }: { readonly by: string; readonly at: number },
  names: ReadonlyMap<string, string>,
): string => reader.words.admin.doneBy(slot(moment(reader, isoOf(at))), marked(actorOf(by, names)));
