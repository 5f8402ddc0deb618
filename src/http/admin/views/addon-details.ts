import type { Logo } from '../../../domain/addons/addon.ts';
import type { Addon } from '../../../commands/addons/find-addon.ts';
import { facts } from '../../pages/components.ts';
import { dataUrlOf } from '../../pages/data-url.ts';
import { markup, type Html } from '../../pages/html.ts';
import type { Reader } from '../../words/reader.ts';
import { webAddresses, type WebAddress } from '../../../domain/addons/web-addresses.ts';

/**
 * What an add-on's operator registered about it; empty if nothing. The logo is part of the page, of a type that we
 * choose: no request for it, and nothing in it can run.
 */
export const addonDetails = (reader: Reader, addon: Pick<Addon, WebAddress>, logo: Logo | null): Html => {
  const labels = reader.words.approve.webAddresses;
  const rows = webAddresses.flatMap((name) => {
    const url = addon[name];
    const label = labels[name];
    return url ? [{ label, value: markup`<a href="${url}" rel="noreferrer"><bdi>${url}</bdi></a>` }] : [];
  });
  return markup`${logo && markup`<p><img src="${dataUrlOf(logo)}" alt="" width="64" height="64"></p>`}
${rows.length > 0 && facts(reader, rows)}`;
};
