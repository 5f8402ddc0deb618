import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The template next to this file, with each part where its marker `<!-- name -->` is. Every part has one. */
export const fill = (template: string, parts: Readonly<Record<string, string>>): string => {
  const text = readFileSync(join(import.meta.dirname, template), 'utf8');
  const filled = text.replaceAll(/^<!-- (\S+) -->$/gm, (_marker, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`${template} has a marker for ${name}, which is not generated`);
    return part;
  });
  const missing = Object.keys(parts).filter((name) => !text.includes(`\n<!-- ${name} -->\n`));
  if (missing.length > 0) throw new Error(`${template} has no marker for ${missing.join(', ')}`);
  return filled;
};
