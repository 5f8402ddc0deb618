import { oneLine } from '../../common/one-line.ts';
import type { DeadLetterResent } from '../../domain/records/dead-letters.ts';
import { placeText, type Letter, type Place } from '../../kafka/dead-letters/letter.ts';
import type { ReceivedMessage } from '../../kafka/kafka-client.ts';
import { answer, sheet, type Answer } from '../base/answer.ts';
import { listText } from '../base/list.ts';

export type LetterShown = { readonly letter: Letter; readonly resent: DeadLetterResent | null };
export type Refusal = { readonly code: string; readonly message: string };
export type Resent = {
  readonly name: Place;
  /** Null when there is no such letter. */
  readonly letter: LetterShown | null;
  readonly outcome: 'resent' | 'already-resent' | Refusal;
};

export const letterColumns = ['dead_letter', 'state', 'reason', 'field', 'from', 'written_at'];

export const presentLetters = (
  letters: readonly LetterShown[],
  next: string | null,
  chosen?: readonly string[],
): Answer => {
  const items = letters.map(letterJson);
  const shown = items.map((item, index) => {
    const from = letters[index]?.letter.from;
    return { ...item, field: item.field && oneLine(item.field), from: from && placeText(from) };
  });
  const none = 'No dead letters match.';
  return answer({ items, next }, listText({ columns: letterColumns, items: shown, next, none }, chosen));
};

/** The content is personal data in clear. */
export const presentLetter = (
  shown: LetterShown,
  { key, headers, value }: ReceivedMessage,
  withContent: boolean,
): Answer => {
  const { letter, resent } = shown;
  const json = {
    ...letterJson(shown),
    resent_by: resent?.by ?? null,
    resent_from: letter.resentFrom && placeText(letter.resentFrom),
    problems: letter.problems,
    left_out: letter.leftOut,
    value_bytes: letter.valueBytes,
    ...(withContent && {
      key: contentOf(key),
      headers: headers.map(([name, content]) => ({ name, ...contentOf(content) })),
      value: contentOf(value),
    }),
  };
  const text = sheet({
    'dead letter': json.dead_letter,
    reason: json.reason ?? 'unknown',
    'came from': fromText(letter),
    written: json.written_at,
    state: json.state,
    ...(resent && { 'resent at': `${json.resent_at ?? ''} by ${resent.by}` }),
    ...(json.resent_from !== null && { 'was before': json.resent_from }),
    ...(json.left_out !== null && { 'left out': oneLine(json.left_out) }),
    value: json.value_bytes === null ? 'none' : `${json.value_bytes} bytes`,
    ...(withContent && {
      key: textOf(key),
      ...Object.fromEntries(headers.map(([name, content]) => [`header ${oneLine(name)}`, textOf(content)])),
      content: textOf(value),
    }),
  });
  const problems = letter.problems.map(({ field, message }) => `  ${oneLine(`${field ?? ''} ${message}`)}`);
  return answer(json, [text, ...(problems.length === 0 ? [] : ['Problems:']), ...problems].join('\n'));
};

/** Exit code 1 when one could not be resent. */
export const presentResent = (all: readonly Resent[]): Answer => ({
  exitCode: all.every(({ outcome }) => typeof outcome === 'string') ? 0 : 1,
  json: {
    items: all.map(({ name, letter, outcome }) => ({
      ...(letter ? letterJson(letter) : { dead_letter: placeText(name), ...placeJson(name) }),
      ...(typeof outcome === 'string'
        ? { state: 'resent', changed: outcome === 'resent' }
        : { error: outcome }),
    })),
  },
  text: all.map(lineOf).join('\n'),
});

const lineOf = ({ name, letter, outcome }: Resent): string => {
  if (outcome === 'resent') return `${placeText(name)}: resent to ${letter?.letter.from?.topic ?? ''}.`;
  if (outcome === 'already-resent') return `${placeText(name)}: was resent already; nothing was done.`;
  return `${placeText(name)}: not resent: ${oneLine(outcome.message)}.`;
};

const placeJson = ({ topic, partition, offset }: Place) => ({ topic, partition, offset: String(offset) });

/** `field` is that of the first problem. */
const letterJson = ({ letter, resent }: LetterShown) => ({
  dead_letter: placeText(letter),
  ...placeJson(letter),
  reason: letter.reason,
  field: letter.problems[0]?.field ?? null,
  from: letter.from && placeJson(letter.from),
  written_at: new Date(letter.writtenAt).toISOString(),
  state: resent === null ? 'waiting' : 'resent',
  resent_at: resent && new Date(resent.at).toISOString(),
});

const fromText = ({ from }: Letter): string => (from === null ? '' : placeText(from));

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

type ContentJson = { readonly text: string } | { readonly base64: string };

/** Bytes that are no UTF-8 are base64. */
const contentOf = (bytes: Buffer | null): ContentJson | null => {
  if (bytes === null) return null;
  try {
    return { text: utf8.decode(bytes) };
  } catch {
    return { base64: bytes.toString('base64') };
  }
};

/** As JSON, and without any character that a terminal would act on. */
const textOf = (bytes: Buffer | null): string =>
  JSON.stringify(contentOf(bytes)).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (one) => `\\u{${one.codePointAt(0)?.toString(16) ?? ''}}`,
  );
