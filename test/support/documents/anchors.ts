/** The addresses of a page's headings. */
export const anchorsOf = (markdown: string): readonly string[] =>
  [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** A page without its fenced blocks. */
export const withoutBlocks = (markdown: string): string => markdown.replaceAll(/^( *)```[^]*?^\1```$/gm, '');
