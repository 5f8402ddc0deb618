/** A table without alignment: one blank on either side of each cell. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string =>
  [headings, headings.map(() => '-'), ...rows.map((row) => row.map(cell))]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const cell = (text: string): string => text.replaceAll(/(?<!\\)\|/g, String.raw`\|`).replaceAll('\n', ' ');

export const code = (text: string): string => `\`${text}\``;

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ');
