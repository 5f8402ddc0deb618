import type { Difference, LogCheck } from '../../audit/log-heads/check-log.ts';
import type { HeadsByLog } from '../../audit/log-copies/earlier-heads.ts';
import type { TileTrouble } from '../../audit/log-heads/tile-check.ts';
import type { CheckRow } from '../../projections/log-guard/log-checks-table.ts';
import { amount, answer, refused, type Answer } from '../base/answer.ts';

type About = {
  /** Where the check began; null for the start of the log. */
  readonly from: CheckRow | null;
  /** How many heads were compared: kept outside the log, and stored in it. */
  readonly outside: number;
  readonly inside: number;
  /** Events that documented retention removed, by category, including those that no scavenge has deleted from disk yet. */
  readonly removed: Readonly<Record<string, number>>;
  /** Earlier logs from which this one was copied, and how many of the outside heads belong to them. */
  readonly copies: Pick<HeadsByLog, 'earlier'> & { readonly ofThem: number };
};

export const presentCheck = (found: LogCheck, { from, outside, inside, removed, copies }: About): Answer => {
  const { size, root, difference } = found;
  const facts = {
    size,
    root,
    heads: { outside, inside, earlier: copies.ofThem },
    verified_before: from?.size ?? 0,
    removed,
  };
  if (difference !== null) return presentDifference(facts, difference);
  return answer(
    { ok: true, ...facts },
    [
      `The log has ${size} events and matches ${amount(outside, 'head')} from outside and ${inside} of its own. Its root is ${root}.`,
      ...(from
        ? [
            `The first ${from.size} were verified by an earlier check, at ${new Date(from.checkedAt).toISOString()}. To verify them again, use --full.`,
          ]
        : []),
      ...describeCopies(copies),
      ...Object.entries(removed).map(
        ([category, count]) =>
          `Documented retention removed ${count}: ${category} (docs/reference/retention.md). Their hashes are still in the tree.`,
      ),
    ].join('\n'),
  );
};

const describeCopies = ({ earlier, ofThem }: About['copies']): readonly string[] => {
  const newest = earlier.at(-1);
  if (!newest) return [];
  const { events, head, at } = newest.copy;
  return [
    `It was copied from another log at ${new Date(at).toISOString()}: ${events} events, and ${newest.heads.length} consistent heads up to the one over ${head.size} events (root ${head.root}). The copy was compared at that time; positions and creation times are those of this log.`,
    ...(ofThem > 0
      ? [
          `Of the heads from outside ${ofThem} belong to the log from which this one was copied, and are among those.`,
        ]
      : []),
  ];
};

const presentDifference = (facts: { readonly size: number }, difference: Difference): Answer => {
  const { kind, agreesTo, trouble } = difference;
  const head = kind === 'tile' ? null : difference.head;
  const message = [describe(facts.size, difference), trouble && describeTrouble(trouble, agreesTo)]
    .filter(Boolean)
    .join('. ');
  return {
    exitCode: 1,
    json: {
      ok: false,
      ...facts,
      difference: {
        kind,
        head: head?.name ?? null,
        head_size: head?.size ?? null,
        agrees_to: agreesTo,
        ...(trouble && { tile: trouble.tile, leaf: trouble.leaf }),
      },
      error: { code: `log-${kind}`, message },
    },
    text: refused('', message).text,
  };
};

const describe = (size: number, difference: Difference): string | null => {
  const { agreesTo } = difference;
  if (difference.kind === 'tile') return null;
  const { head, kind } = difference;
  const where =
    kind === 'cut'
      ? `it has ${size} events, but ${head.name} covers ${head.size}`
      : `its first ${head.size} events are not those of ${head.name}`;
  const first =
    agreesTo === 0
      ? 'It does not match any earlier head'
      : `It matches the heads up to ${agreesTo} events, so the first difference is in events ${agreesTo + 1} to ${head.size}`;
  return `the log was ${kind}: ${where}. ${first}`;
};

const describeTrouble = ({ kind, tile, leaf }: TileTrouble, agreesTo: number): string => {
  const place = `event ${leaf + 1} of the log`;
  if (kind === 'missing') return `${place} is missing, and no documented retention removed it`;
  if (agreesTo > leaf)
    return `tile ${tile} of the log's tree was changed: the events match a signed head up to ${agreesTo}, but the tile does not match the events`;
  return kind === 'parent'
    ? `tile ${tile} of the log's tree does not match the tiles below it`
    : `${place} and tile ${tile} of its tree differ`;
};
