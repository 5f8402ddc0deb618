import type { Scope } from '../../domain/access/scope.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { ScopeWords } from './kinds.ts';
import { english, type Words } from '../../common/words.ts';

/** The words and formats of one reader: in which language, and in which time zone. */
export type Reader = {
  readonly words: Words;
  /** Whether the time zone is that of the account; otherwise it is the browser's, or UTC. */
  readonly isZoneChosen: boolean;
  /** An IANA name. Pages name it once. */
  readonly timeZone: string;
  /** "3 May 2026". */
  readonly dayOf: (time: string | Instant) => string;
  /** "today at 12:04", "3 May 2026 at 12:04". */
  readonly when: (time: string | Instant) => string;
  /** When something happened, in a sentence: "today at 12:04", "on 3 May 2026 at 12:04". */
  readonly on: (time: string | Instant) => string;
  /** To the second: "3 May 2026 at 12:04:05". */
  readonly momentOf: (time: string | Instant) => string;
  /** The same with the time zone, for mails: "3 May 2026 at 12:04:05 UTC". */
  readonly zonedMomentOf: (time: string | Instant) => string;
  /** "12:04". */
  readonly clockOf: (time: string | Instant) => string;
  /** For lists: "today 12:04", "3 May", and with the year where it is another than this one. */
  readonly shortOf: (time: string | Instant) => string;
  /** The first moment of a day of the calendar. @param date `2026-05-03` */
  readonly startOf: (date: string) => Instant;
  /** The day of the calendar: `2026-05-03`. */
  readonly dateOf: (time: string | Instant) => string;
  /** "1–30 October 2026"; with the time of day where the days (in UTC) are not whole. */
  readonly period: (from: string, to: string) => string;
  /** "12,345". */
  readonly number: (count: number) => string;
  /** "a, b and c". */
  readonly list: (items: readonly string[]) => string;
  /** "30 days", "1 hour", of seconds: in the largest unit that divides it. */
  readonly duration: (seconds: number) => string;
  /** Its name where no language has words for a kind of records. */
  readonly scopes: Readonly<Record<Scope, ScopeWords>>;
};

type Formats = Pick<
  Reader,
  | 'timeZone'
  | 'dayOf'
  | 'clockOf'
  | 'momentOf'
  | 'zonedMomentOf'
  | 'startOf'
  | 'dateOf'
  | 'period'
  | 'number'
  | 'list'
  | 'duration'
  | 'scopes'
> & {
  /** The day of the calendar, counted. */
  readonly dayNumber: (at: string | Instant) => number;
  /** With its year where that is not the one of `now`. */
  readonly short: (at: Date, now: Instant) => string;
};

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** A date, or the first or last moment of one in UTC. */
const edgeOfDay = /^[^T]+(?:T00:00:00(?:\.000)?Z|T23:59:59\.999Z)?$/;
const day = 86_400_000;

/** Making a format takes as long as a page; a browser may name any time zone, so the newest are kept. */
const known = new Map<string, Formats>();
const mostKnown = 100;

const formatsOf = ({ tag, locale, times, scopes }: Words, timeZone: string): Formats => {
  const key = `${tag} ${timeZone}`;
  const found = known.get(key);
  if (found) return found;
  const dayHere = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  const clock = { hour: '2-digit', minute: '2-digit', timeZone } as const;
  const time = new Intl.DateTimeFormat(locale, clock);
  const exact = new Intl.DateTimeFormat(locale, { ...clock, second: '2-digit' });
  const zoned = new Intl.DateTimeFormat(locale, { ...clock, second: '2-digit', timeZoneName: 'short' });
  const dayAndMonth = { day: 'numeric', month: 'short', timeZone } as const;
  const short = new Intl.DateTimeFormat(locale, dayAndMonth);
  const shortWithYear = new Intl.DateTimeFormat(locale, { ...dayAndMonth, year: 'numeric' });
  const year = new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone });
  const dayInUtc = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale);
  const dayOf = (at: string | Instant) => dayHere.format(new Date(at));
  const numbers = { year: 'numeric', month: 'numeric', day: 'numeric', timeZone } as const;
  const date = new Intl.DateTimeFormat('en', {
    ...numbers,
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  });
  /** What calendar and clock show there, as if it were UTC. */
  const shownAt = (at: string | Instant): Instant => {
    const parts = date.formatToParts(new Date(at)).map(({ type, value }) => [type, Number(value)]);
    const {
      year: of = 0,
      month = 1,
      day: ofMonth = 1,
      hour = 0,
      minute = 0,
    } = Object.fromEntries(parts) as Record<string, number>;
    return Date.UTC(of, month - 1, ofMonth, hour, minute);
  };
  const made: Formats = {
    timeZone,
    dayOf,
    dayNumber: (at) => Math.floor(shownAt(at) / day),
    dateOf: (at) => new Date(shownAt(at)).toISOString().slice(0, 10),
    startOf: (text) => {
      const wanted = Date.parse(text);
      const guess = wanted - (shownAt(wanted) - wanted);
      // The offset may change between the guess and the start of the day,
      const at = guess + (wanted - shownAt(guess));
      // or midnight may be left out.
      return at + Math.max(0, wanted - shownAt(at));
    },
    clockOf: (at) => time.format(new Date(at)),
    short: (at, now) => (year.format(at) === year.format(now) ? short : shortWithYear).format(at),
    number: (count) => number.format(count),
    momentOf: (at) => times.moment(dayOf(at), exact.format(new Date(at))),
    zonedMomentOf: (at) => times.moment(dayOf(at), zoned.format(new Date(at))),
    period: (from, to) => {
      const edges = [Date.parse(from), Date.parse(to) + 1];
      const isWhole = edges.every((at) => at % 60_000 === 0 && shownAt(at) % day === 0);
      const formats = isWhole ? dayHere : edgeOfDay.test(from) && edgeOfDay.test(to) ? dayInUtc : minute;
      return formats.formatRange(new Date(from), new Date(to));
    },
    list: (items) => list.format(items),
    duration: (seconds) => {
      const [unit = 'second', size = 1] = units.find(([, each]) => seconds % each === 0) ?? [];
      return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(
        seconds / size,
      );
    },
    scopes: {
      ...eachRecord('scope', ({ words: { many } }) => {
        const long = scopes.ofRecords(many);
        return { long, own: long, yours: many, short: many, ofOrganization: many, example: null };
      }),
      ...scopes,
    },
  };
  const [oldest = ''] = known.keys();
  if (known.size >= mostKnown) known.delete(oldest);
  known.set(key, made);
  return made;
};

/** @param timeZone of the account: an IANA name, which `isTimeZone` has accepted; null: none is chosen @param browserZone one of `timeZones` */
export const makeReader = (
  words: Words = english,
  timeZone: string | null = null,
  now: Instant = Date.now(),
  browserZone: string | null = null,
): Reader => {
  const { short, dayNumber, ...formats } = formatsOf(words, timeZone ?? browserZone ?? 'UTC');
  const { dayOf, clockOf } = formats;
  let today: number | undefined;
  /** In days of the calendar: some have 23 or 25 hours. */
  const daysAgo = (given: string | Instant) => (today ??= dayNumber(now)) - dayNumber(given);
  const when = (given: string | Instant) => {
    if (daysAgo(given) === 0) return words.times.today(clockOf(given));
    if (daysAgo(given) === 1) return words.times.yesterday(clockOf(given));
    return words.times.moment(dayOf(given), clockOf(given));
  };
  const on = (given: string | Instant) =>
    daysAgo(given) === 0 || daysAgo(given) === 1 ? when(given) : words.times.on(when(given));
  const shortOf = (given: string | Instant) => {
    if (daysAgo(given) === 0) return words.times.todayShort(clockOf(given));
    return short(new Date(given), now);
  };
  return { words, isZoneChosen: timeZone !== null, ...formats, when, on, shortOf };
};

/** The names of today, where `Intl` lists those of before, which it takes, too. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['Africa/Asmera', 'Africa/Asmara'],
  ['America/Buenos_Aires', 'America/Argentina/Buenos_Aires'],
  ['America/Catamarca', 'America/Argentina/Catamarca'],
  ['America/Cordoba', 'America/Argentina/Cordoba'],
  ['America/Godthab', 'America/Nuuk'],
  ['America/Indianapolis', 'America/Indiana/Indianapolis'],
  ['America/Jujuy', 'America/Argentina/Jujuy'],
  ['America/Louisville', 'America/Kentucky/Louisville'],
  ['America/Mendoza', 'America/Argentina/Mendoza'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Katmandu', 'Asia/Kathmandu'],
  ['Asia/Rangoon', 'Asia/Yangon'],
  ['Asia/Saigon', 'Asia/Ho_Chi_Minh'],
  ['Atlantic/Faeroe', 'Atlantic/Faroe'],
  ['Europe/Kiev', 'Europe/Kyiv'],
  ['Pacific/Enderbury', 'Pacific/Kanton'],
  ['Pacific/Ponape', 'Pacific/Pohnpei'],
  ['Pacific/Truk', 'Pacific/Chuuk'],
]);

/** What a time zone is called today. */
export const zoneNow = (name: string): string => renamed.get(name) ?? name;

export const timeZones: readonly string[] = [
  ...new Set(['UTC', ...Intl.supportedValuesOf('timeZone').map(zoneNow).toSorted()]),
];

const listed: ReadonlySet<string> = new Set(timeZones);

/** The time zone that a browser names in its cookie; null: none that `Intl` lists. */
export const browserZoneIn = (cookie = ''): string | null => {
  const zone = zoneNow(cookie);
  return listed.has(zone) ? zone : null;
};

/** Every name that `Intl` takes; an offset is no name. */
export const isTimeZone = (name: string): boolean => {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
};
