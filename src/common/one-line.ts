const longestText = 300;

/** What somebody else said, for people: one line, without control characters and the marks that reverse the direction of text. */
export const oneLine = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ').trim();
  return line.length > longestText ? `${line.slice(0, longestText)}…` : line;
};
