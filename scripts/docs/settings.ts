import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  isRequiredInProduction,
  isSecret,
  settingNames,
  SETTINGS,
  type SettingName,
} from '../../src/config/settings.ts';
import { packageRoot } from '../../src/process/package-root.ts';
import { fill } from './fill.ts';
import { code, table } from './table.ts';

export const settingsPage = (): string => {
  const described = new Map<string, SettingName>();
  let above = '';
  return fill('settings.md', {
    settings: table(
      ['setting', 'what for', 'allowed', 'default'],
      settingNames.map((name) => {
        const { allowed, fallback } = SETTINGS[name];
        const [, all = allowed, stated] = /^(.*?) \(default ([^()]*)\)$/.exec(allowed) ?? [];
        const words = all
          .replace('; absent means none', '')
          .replaceAll(/\b(1|on|off|approval|free) \([^()]*\)/g, '$1')
          .replace('a number of days from', 'days, from')
          .replaceAll(/(?:a (?:number|port) )?from (\d+) to (\d+)/g, '$1–$2');
        const before = described.get(words);
        described.set(words, before ?? name);
        const isAbove = words === above && words.length >= 30;
        above = words;
        const marks = [
          ...(isRequiredInProduction(name) ? ['required in production'] : []),
          ...(isSecret(name) ? ['*secret*'] : []),
        ];
        return [
          code(name),
          purposeOf(name),
          isAbove ? '' : before === undefined || words.length < 30 ? words : `as ${code(before)}`,
          [stated ?? (typeof fallback === 'string' ? fallback : ''), ...marks].filter(Boolean).join('; '),
        ];
      }),
    ),
  });
};

/** The first sentence of the comment above each setting in .env.example. */
const purposes = new Map<string, string>();
let comment = '';
for (const line of readFileSync(join(packageRoot, '.env.example'), 'utf8').split('\n')) {
  const [, name] = /^(?:# )?([A-Z][A-Z_]+)=/.exec(line) ?? [];
  if (name !== undefined) purposes.set(name, /^(.*?)\.(?= |$)/.exec(comment.trim())?.[1] ?? '');
  comment = name === undefined && /^# (?!-)/.test(line) ? `${comment} ${line.slice(2)}` : '';
}

const purposeOf = (name: SettingName): string => {
  const purpose = purposes.get(name) ?? '';
  if (purpose === '') throw new Error(`.env.example has no sentence above ${name}`);
  return purpose;
};
