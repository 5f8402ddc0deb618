import type { Addon } from '../../../commands/addons/find-addon.ts';
import { facts } from '../../pages/components.ts';
import { markup, type Part } from '../../pages/html.ts';
import type { Reader } from '../../words/reader.ts';
import { webAddresses, type WebAddress } from '../../../domain/addons/web-addresses.ts';

/** The addresses that an add-on's operator registered; nothing where there are none. */
export const addonDetails = (reader: Reader, addon: Pick<Addon, WebAddress>): Part => {
  const labels = reader.words.approve.webAddresses;
  const rows = webAddresses.flatMap((name) => {
    const url = addon[name];
    const label = labels[name];
    return url ? [{ label, value: markup`<a href="${url}" rel="noreferrer"><bdi>${url}</bdi></a>` }] : [];
  });
  return rows.length > 0 && markup`<section class="card">${facts(reader, rows)}</section>`;
};
