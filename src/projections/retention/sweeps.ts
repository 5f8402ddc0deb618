import type { Instant } from '../../domain/kernel/decision.ts';
import { keptBeyondEnd } from '../../domain/fence/fence-retention.ts';
import { silentGrants } from '../../domain/access/silent-grants.ts';

/** The most rows that one statement removes: few enough that nobody waits for them. */
export const sweepBatch = 1_000;

/** Removed by time alone (docs/reference/retention.md): one parameter each for `values`, then the batch's size. */
export type Sweep = {
  readonly table: string;
  readonly text: string;
  readonly values: (now: Instant) => readonly unknown[];
};

const DAY = 86_400_000;

/** An instance whose clock is behind may still treat as valid what has expired here. */
const clocksApart = 600_000;

/** After a session has expired: so long the user sees the sign-in among the latest ones. */
const sessionUsesStay = 30 * DAY;

/** Twice the window: counts of an instance whose clock was ahead would last that long. */
const furthestWindow = 120_000;

const sweep = (
  table: string,
  key: string,
  condition: string,
  values: Sweep['values'],
  remove = `delete from ${table}`,
): Sweep => ({
  table,
  // A row that is used at this moment stays until the next sweep.
  text: `${remove} where ${key} in (
           select ${key} from ${table} where ${condition} limit $${values(0).length + 1} for update skip locked)`,
  values,
});

/** How long operators and publishers see why a request was refused. */
const refusalsStay = 7 * DAY;

/** Removes what is beyond `most` rows, whatever ends first: strangers in many networks could fill the table. */
export const capOf = (table: string, key: string, ends: string, most: number, condition = 'true'): Sweep => ({
  table,
  text: `delete from ${table} where ${key} in (
           select ${key} from ${table} where ${condition} order by ${ends} desc offset ${most} limit $1)`,
  values: () => [],
});

/** More than a flood of what a service answers writes within the time that a row is worth something. */
export const mostRows = 1_000_000;
/** And interactions, not requests under a key: who sends those is known. */
export const onlyForms = "token_key_id = ''";
/** Of an auditor's questions, of megabytes each. */
export const mostAnswers = 200;
/** These hold what a browser sent. */
export const mostSignIns = 50_000;
export const mostRefusalsOfAddon = 1_000;

export const sweeps: readonly Sweep[] = [
  sweep('done_once', 'id', 'expires_at < $1', (now) => [now - clocksApart]),
  sweep(
    'done_once',
    'id',
    'response_until < $1',
    (now) => [now - clocksApart],
    "update done_once set response = '', fingerprint = null, response_until = null",
  ),
  sweep('prepared_answers', 'id', 'expires_at <= $1', (now) => [now]),
  sweep('provider_sign_ins', 'id', 'expires_at < $1', (now) => [now]),
  sweep('sign_in_counters', 'key', 'forgotten_at <= $1', (now) => [now]),
  sweep('silent_grants', 'key', 'forgotten_at < $1', (now) => [now - silentGrants.window]),
  sweep('rate_limits', 'key', 'expire <= $1 or expire > $2', (now) => [
    now - clocksApart,
    now + furthestWindow,
  ]),
  // Longer than any grace and any outage that counts.
  sweep('outages', 'id', 'ended < $1', (now) => [now - DAY]),
  sweep('session_uses', 'session_id', 'expires_at < $1', (now) => [now - sessionUsesStay]),
  sweep('addon_refusals', 'refusal_id', 'at < $1', (now) => [now - refusalsStay]),
  sweep('write_probes', 'instance', 'probed_at < to_timestamp($1 / 1000.0)', (now) => [now - DAY]),
  sweep('fence', 'subject', 'ends < $1 and not open', (now) => [now - keptBeyondEnd]),
];

/** The newest of each endpoint and reason stay longest: nobody who floods one of them makes an add-on lose the others. */
const refusalsOfAddon: Sweep = {
  table: 'addon_refusals',
  text: `delete from addon_refusals where refusal_id in (
           select refusal_id from (
             select refusal_id, row_number() over (partition by addon_id order by nth, refusal_id desc) as place from (
               select refusal_id, addon_id,
                 row_number() over (partition by addon_id, endpoint, reason order by refusal_id desc) as nth
               from addon_refusals where addon_id in (
                 select addon_id from addon_refusals group by addon_id having count(*) > ${mostRefusalsOfAddon})
             ) as alike
           ) as placed where place > ${mostRefusalsOfAddon} limit $1)`,
  values: () => [],
};

/** Bounds of the tables that strangers write to, whatever their networks are, and of one of large rows (docs/reference/retention.md). */
export const caps: readonly Sweep[] = [
  // Requests that wait for a mail are kept for a day: they do not push out sign-ins that are under way.
  capOf(
    'provider_sign_ins',
    'id',
    'expires_at',
    mostSignIns,
    "network is not null and id not like 'forgot %'",
  ),
  capOf('provider_sign_ins', 'id', 'expires_at', mostSignIns, "id like 'forgot %'"),
  capOf('done_once', 'id', 'expires_at', mostRows, onlyForms),
  capOf('sign_in_counters', 'key', 'forgotten_at', mostRows),
  capOf('rate_limits', 'key', 'expire', mostRows),
  refusalsOfAddon,
  capOf('addon_refusals', 'refusal_id', 'refusal_id', mostRows),
  capOf('prepared_answers', 'id', 'expires_at', mostAnswers, 'answer is not null'),
];
