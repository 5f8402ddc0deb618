import type { Command } from 'commander';
import { describe, detailsText, pathOf, type Details } from './base/details.ts';

const anId = '01K9RZ3Q5V0000000000000003';
/** Separated by blanks. */
const keys = (names: string): readonly string[] => names.split(' ');

const user = keys('user_id name roles');
const page = keys('items next');
const imported: Details = {
  json: keys(
    'resource organization_id lines added changed removed unchanged outdated refused errors errors_left_out visible seconds visible_after_seconds',
  ),
};
const version = keys('name version');
const key = keys('kid alg state created_at current_from published_at retired_at published_until');
const unaffected = 'Grants and tokens stay.';

/** Of commands that are not tasks of an entity (entity-commands.ts), whose details follow from the task. */
const details: Readonly<Record<string, Details>> = {
  login: { json: [...user, ...keys('expires_at file')] },
  logout: { effect: 'The kept token of the command line stops working immediately.', json: user },
  whoami: { json: user },
  'user token create': { example: `--user ${anId}` },
  'user token list': { example: `--user ${anId}` },
  'user token revoke': { example: `--user ${anId}` },
  'addon register': { example: '--redirect-uri https://addon.example/callback --scope openid' },
  'addon update': { example: '--name "Door Sync"' },
  'audit timeline': {
    example: `--user ${anId}`,
    json: keys('about entries earlier later up_to dropped complete removed_until'),
  },
  'audit replay': { json: keys('stream steps next') },
  'audit as-of': {
    example: '--at 2026-01-01',
    json: keys(
      'organization existed position time administrators auditors activations grants_in_all grants next unexchanged_codes',
    ),
  },
  'audit exposure': {
    json: keys(
      'organization addon from to intervals_in_all intervals tokens_in_all tokens reads_in_all reads reads_counted_since reads_unattributed next',
    ),
  },
  'audit export': {
    json: keys(
      'file format organization from until events first last root chain log exported_by exported_at',
    ),
  },
  'audit verify': {
    json: keys('ok key key_is_known in_log_of_head manifest heads timestamps deposits'),
  },
  'audit head': {
    example: '--sign',
    json: keys('size root position previousSize proof jws at'),
  },
  'audit check-log': { json: keys('ok size root heads verified_before removed') },
  'audit deposits': { json: page },
  'history status': { json: [...page, ...keys('retention_days')] },
  'history drop': { example: '2026-01', json: keys('dropped') },
  'log copy': {
    json: keys('events streams streams_left_out streams_with_metadata head closed_before'),
  },
  doctor: { json: keys('failures warnings findings') },
  migrate: { json: keys('applied topics') },
  'projections status': { json: keys('projections') },
  'projections rebuild': {
    json: [...version, ...keys('schema events log_events seconds events_per_second parked_keys position')],
  },
  'projections verify': { json: [...version, ...keys('position equal rows tables differences')] },
  'projections swap': { json: [...version, ...keys('previous_version position events merged_rows')] },
  'projections drop': { json: [...version, ...keys('dropped')] },
  'parked list': { json: keys('keys') },
  'parked retry': { example: '--all', json: keys('keys') },
  'parked skip': { json: keys('skipped keys') },
  'keys rotate': { effect: 'None: what an older key signed stays verifiable.', json: key },
  'keys list': { json: keys('keys untrusted_keys personal_data_keys') },
  'keys backup': { json: keys('file keys replaced') },
  'keys restore': { json: keys('added present erased replaced emails_replaced') },
  'keys rewrap': { json: keys('rewrapped personal_data_keys') },
  'kafka status': { json: keys('attention brokers topics relay ingest parked') },
  'kafka dead-letters list': { example: '--reason unknown-organization', json: page },
  'kafka dead-letters show': {
    json: keys(
      'dead_letter topic partition offset reason field from written_at state resent_at resent_by resent_from problems left_out value_bytes key headers value',
    ),
  },
  'kafka dead-letters resend': { effect: unaffected, json: keys('items') },
  eventstore: { json: keys('url port data_dir') },
};

/** Adds to the help of every command its effect on tokens, an example and its JSON keys. */
export const addDetails = (command: Command): void => {
  for (const one of command.commands) addDetails(one);
  if (command.commands.length > 0 || command.parent === null) return;
  const path = pathOf(command).replace(/^grantbook /, '');
  // Each kind of record has an import.
  describe(command, details[path] ?? (path.startsWith('import ') ? imported : {}));
  command.addHelpText('after', () => detailsText(command));
};
