import { isRequiredInProduction, isSecret, settingNames, SETTINGS } from '../../src/config/settings.ts';
import { fill } from './fill.ts';
import { code, table } from './table.ts';

export const settingsPage = (): string =>
  fill('settings.md', {
    settings: table(
      ['setting', 'allowed', 'default'],
      settingNames.map((name) => {
        const { allowed, fallback } = SETTINGS[name];
        const [, words = allowed, stated] = /^(.*?) \(default ([^()]*)\)$/.exec(allowed) ?? [];
        return [
          code(name),
          words,
          [
            stated ?? (typeof fallback === 'string' ? fallback : ''),
            ...(isRequiredInProduction(name) ? ['required in production'] : []),
            ...(isSecret(name) ? ['*secret*'] : []),
          ]
            .filter((part) => part !== '')
            .join('; '),
        ];
      }),
    ),
  });
