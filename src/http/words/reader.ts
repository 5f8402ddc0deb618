import type { Scope } from '../../domain/access/scope.ts';
import type { Instant } from '../../domain/kernel/decision.ts';
import { eachRecord } from '../../domain/records/each-record.ts';
import type { ScopeWords } from './kinds.ts';
import { english, type Words } from '../../common/words.ts';

/** The words and formats of one reader: in which language, and in which time zone. */
export type Reader = {
  readonly words: Words;
  /** Whether the times are in a time zone that the reader chose; otherwise they are in UTC. */
  readonly isZoneChosen: boolean;
  /** An IANA name. */
  readonly timeZone: string;
  /** "3 May 2026". */
  readonly dayOf: (time: string | Instant) => string;
  /** "today at 12:04 UTC", "3 May 2026 at 12:04 UTC". */
  readonly when: (time: string | Instant) => string;
  /** To the second: "3 May 2026 at 12:04:05 UTC". */
  readonly momentOf: (time: string | Instant) => string;
  /** "12:04", without its time zone. */
  readonly clockOf: (time: string | Instant) => string;
  /** For lists: "today 12:04", "3 May", and with the year where it is another than this one. */
  readonly shortOf: (time: string | Instant) => string;
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
  'timeZone' | 'dayOf' | 'clockOf' | 'momentOf' | 'period' | 'number' | 'list' | 'duration' | 'scopes'
> & {
  readonly time: (at: Date) => string;
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

/** Making a format takes as long as a page; the pairs are few. */
const known = new Map<string, Formats>();

const formatsOf = ({ tag, locale, times, scopes }: Words, timeZone: string): Formats => {
  const key = `${tag} ${timeZone}`;
  const found = known.get(key);
  if (found) return found;
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone });
  const clock = { hour: '2-digit', minute: '2-digit', timeZone, timeZoneName: 'short' } as const;
  const time = new Intl.DateTimeFormat(locale, clock);
  const exact = new Intl.DateTimeFormat(locale, { ...clock, second: '2-digit' });
  const clockAlone = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone });
  const dayAndMonth = { day: 'numeric', month: 'short', timeZone } as const;
  const short = new Intl.DateTimeFormat(locale, dayAndMonth);
  const shortWithYear = new Intl.DateTimeFormat(locale, { ...dayAndMonth, year: 'numeric' });
  const year = new Intl.DateTimeFormat(locale, { year: 'numeric', timeZone });
  const dayInUtc = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC' });
  const minute = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
  const number = new Intl.NumberFormat(locale);
  const list = new Intl.ListFormat(locale);
  const dayOf = (at: string | Instant) => day.format(new Date(at));
  const numbers = { year: 'numeric', month: 'numeric', day: 'numeric', timeZone } as const;
  const date = new Intl.DateTimeFormat('en', numbers);
  const made: Formats = {
    timeZone,
    dayOf,
    dayNumber: (at) => {
      const parts = date.formatToParts(new Date(at)).map(({ type, value }) => [type, Number(value)]);
      const { year = 0, month = 1, day: ofMonth = 1 } = Object.fromEntries(parts) as Record<string, number>;
      return Date.UTC(year, month - 1, ofMonth) / 86_400_000;
    },
    time: (at) => time.format(at),
    clockOf: (at) => clockAlone.format(new Date(at)),
    short: (at, now) => (year.format(at) === year.format(now) ? short : shortWithYear).format(at),
    number: (count) => number.format(count),
    momentOf: (at) => times.moment(dayOf(at), exact.format(new Date(at))),
    period: (from, to) =>
      (edgeOfDay.test(from) && edgeOfDay.test(to) ? dayInUtc : minute).formatRange(
        new Date(from),
        new Date(to),
      ),
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
  known.set(key, made);
  return made;
};

/** @param timeZone an IANA name, which `isTimeZone` has accepted; null: none is chosen */
export const makeReader = (
  words: Words = english,
  timeZone: string | null = null,
  now: Instant = Date.now(),
): Reader => {
  const { time, short, dayNumber, ...formats } = formatsOf(words, timeZone ?? 'UTC');
  const { dayOf, clockOf } = formats;
  let today: number | undefined;
  /** In days of the calendar: some have 23 or 25 hours. */
  const daysAgo = (given: string | Instant) => (today ??= dayNumber(now)) - dayNumber(given);
  const when = (given: string | Instant) => {
    const at = new Date(given);
    if (daysAgo(given) === 0) return words.times.today(time(at));
    if (daysAgo(given) === 1) return words.times.yesterday(time(at));
    return words.times.moment(dayOf(given), time(at));
  };
  const shortOf = (given: string | Instant) => {
    const at = new Date(given);
    if (daysAgo(given) === 0) return words.times.todayShort(clockOf(given));
    return short(at, now);
  };
  return { words, isZoneChosen: timeZone !== null, ...formats, when, shortOf };
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
