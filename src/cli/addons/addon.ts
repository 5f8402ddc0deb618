import type { z } from 'zod';
import { changeWhole, type ChangeWhole } from '../../tasks/addons/decide-changes.ts';
import { addedSecret, addonSecrets } from '../../tasks/publishing/answers.ts';
import type { Names } from '../../tasks/find.ts';
import type { AddonReceipt } from '../../tasks/addons/addon-receipts.ts';
import { addons, type AddonItem } from '../../tasks/addons.ts';
import { publishers } from '../../tasks/publishers.ts';
import type { Json } from '../../tasks/task.ts';
import { ownAddons } from '../../tasks/publishing.ts';
import type { Command } from 'commander';
import { addEntityCommands, type Ways } from '../entity-commands.ts';
import type { CliIo, HowOpened } from '../base/cli-io.ts';
import { sheet } from '../base/answer.ts';
import { sheetOf, words } from '../base/list.ts';
import type { AddCommands, Run } from '../base/define.ts';
import { snakeCase } from '../../domain/kernel/snake-case.ts';
import { webAddresses } from '../../domain/addons/web-addresses.ts';

export const addAddonCommands: AddCommands = (program, io, run) => {
  const addon = program.command('addon');
  addEntityCommands(addon, addons, io, run, {
    sheet: addonSheet,
    sheets: new Map([[changeWhole, changeSheet]]),
    limit: 1000,
    groups: {
      secret: 'rotate the client secrets of a confidential add-on',
      change: 'decide on changes that the publisher proposed',
    },
  });
  const publisher = program.command('publisher');
  addEntityCommands(publisher, publishers, io, run);
  addOwnCommands(publisher, io, run);
};

/** What members of a publisher do with its add-ons (AP-10). */
const addOwnCommands = (publisher: Command, io: CliIo, run: Run): void => {
  const asMember = { ...io, openTasks: (how?: HowOpened) => io.openTasks({ ...how, isByMember: true }) };
  const ways: Ways = {
    sheet: addonSheet,
    sheets: new Map<z.ZodObject, (json: Json) => string>([
      [addedSecret, secretText],
      [addonSecrets, () => 'Removed: it stops working within 5 seconds.'],
    ]),
    listedBy: 'publisher addon',
    groups: {
      secret: 'rotate the client secrets of your add-on',
      change: 'propose and withdraw changes of your add-on',
      signals: 'the signal stream of your add-on',
    },
  };
  const own = publisher.command('addon').description('list and show the add-ons of your publishers');
  addEntityCommands(own, ownAddons, asMember, run, ways);
  addEntityCommands(publisher, ownAddons, asMember, run, ways);
};

/** Each field before and after, an address with a new host marked. */
const changeSheet = (json: Json, names: Names): string => {
  const { differences, change_id, revision, state, reason, ...change } = json as ChangeWhole;
  const rows = differences.flatMap(({ field, before, after, with_new_host: marked }) => {
    const texts = after.map((uri) => (marked.includes(uri) ? `${uri} (new host)` : uri));
    return [
      [`${fieldWords(field)} before`, before],
      [`${fieldWords(field)} after`, texts],
    ] as const;
  });
  const { proposed_by, approved_by, refused_by, requested_at: proposed, decided_at: decided } = change;
  const facts = { change_id, state, proposed, proposed_by, decided, approved_by, refused_by, reason };
  const shown = Object.fromEntries(
    Object.entries({ ...facts, revision }).filter(([, value]) => value !== null),
  );
  return `${sheetOf(shown, names)}\n${sheet(Object.fromEntries(rows.map(([name, uris]) => [name, listed(uris)])))}`;
};

const fieldWords = (field: string): string =>
  words(field).replace(/\bur([il])/, (_all, last: string) => `UR${last.toUpperCase()}`);

const secretText = ({ secret_id: id, client_secret: secret }: Json): string =>
  `Added the secret ${String(id)}; a running service accepts it within 5 seconds.\nThe client_secret, shown only now: ${String(secret)}`;

const addonSheet = (answered: Json): string => {
  const { receipts, ...json } = answered as AddonItem & { readonly receipts?: readonly AddonReceipt[] };
  return (
    sheet({
      client_id: json.client_id,
      name: json.name,
      'redirect URIs': listed(json.redirect_uris),
      'after a sign-out': listed(json.post_logout_redirect_uris),
      'configuration URL': json.configuration_url ?? 'none: it cannot be activated for an organization',
      scopes: listed(json.scopes),
      'grant types': listed(json.grant_types),
      'id_token signed by': json.id_token_alg,
      audiences: listed(json.audiences),
      'may ask for': listed(json.allowed_audiences),
      kind: json.confidential ? 'confidential' : 'public',
      publisher: json.publisher ?? 'unknown',
      ...(json.publisher_id !== null && { publisher_id: json.publisher_id }),
      verified: json.verified ? 'yes' : 'no',
      ...Object.fromEntries(
        webAddresses.map((name) => [name.replace(/Url$/, ''), json[snakeCase(name)] ?? 'none']),
      ),
      logo: json.has_logo ? 'yes' : 'none',
      state: json.retired ? 'retired' : json.suspended ? 'suspended' : 'in use',
    }) + (receipts ? `\n${receiptsText(receipts)}` : '')
  );
};

const receiptsText = (receipts: readonly AddonReceipt[]): string =>
  receipts.length === 0
    ? 'No grant had to end.'
    : receipts
        .map(({ organization_id: organization, epoch, position, revoked_grants: revoked }) => {
          const whose = organization === null ? "users' own records" : `organization ${organization}`;
          return revoked === undefined
            ? `Deactivated for ${whose}: epoch ${epoch}, event ${position}.`
            : `Revoked on ${whose}: ${revoked === 1 ? '1 grant' : `${revoked} grants`}.`;
        })
        .join('\n');

const listed = (values: readonly string[]): string => values.join('  ') || 'none';
