/** A minimal HTML parser for pages without scripts: forms, their controls, and the text of the page. */

export type Control = {
  readonly name: string;
  readonly value: string;
  readonly type: string;
  readonly checked: boolean;
  /** The control's name for people: its label, or the text on a button. */
  readonly label: string;
};

export type Form = {
  readonly action: string;
  readonly method: string;
  readonly controls: readonly Control[];
};

export const formsOf = (html: string): readonly Form[] =>
  [...html.matchAll(/<form\b([^>]*)>([\s\S]*?)<\/form>/gi)].map(([, attributes = '', inside = '']) => {
    const { action = '', method = 'get' } = attributesOf(attributes);
    return { action, method: method.toLowerCase(), controls: controlsOf(inside) };
  });

export const headingOf = (html: string): string =>
  textOf(/<h1\b[^>]*>([\s\S]*?)<\/h1>/i.exec(html)?.[1] ?? '');

const controlsOf = (html: string): readonly Control[] => {
  const labels = [...html.matchAll(/<label\b([^>]*)>([\s\S]*?)<\/label>/gi)];
  const labelOf = (id: string | undefined, tag: string): string => {
    const label = labels.find(
      ([, attributes = '', inside = '']) =>
        (id !== undefined && attributesOf(attributes)['for'] === id) || inside.includes(tag),
    );
    return textOf(label?.[2] ?? '');
  };
  const inputs = [...html.matchAll(/<input\b([^>]*)>/gi)].map(([tag, attributes = '']) => {
    const { id, name = '', type = 'text', value = '', ...others } = attributesOf(attributes);
    const label = others['aria-label'] ?? labelOf(id, tag);
    return { at: html.indexOf(tag), name, type, value, checked: 'checked' in others, label };
  });
  const buttons = [...html.matchAll(/<button\b([^>]*)>([\s\S]*?)<\/button>/gi)].map(
    ([tag, attributes = '', text = '']) => {
      const { name = '', value = '', ...others } = attributesOf(attributes);
      const label = others['aria-label'] ?? textOf(text);
      return { at: html.indexOf(tag), name, type: 'submit', value, checked: false, label };
    },
  );
  return [...inputs, ...buttons].toSorted((a, b) => a.at - b.at).map(({ at: _at, ...control }) => control);
};

const attributesOf = (source: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...source.matchAll(/([^\s=>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/g)].map(
      ([, name = '', double, single, bare]) => [name.toLowerCase(), decode(double ?? single ?? bare ?? '')],
    ),
  );

/** Text without tags; tags inside a sentence do not separate words. */
const textOf = (html: string): string =>
  decode(html.replace(/<\/?(?:bdi|strong|code|a|time)\b[^>]*>/gi, '').replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const decode = (text: string): string =>
  text.replace(/&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/gi, (all, hex?: string, decimal?: string, name?: string) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal));
    return entities[name ?? ''] ?? all;
  });
