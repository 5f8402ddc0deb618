import { readFileSync } from 'node:fs';
import type { Setting } from './setting.ts';
import type { SettingName } from './settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Reading<T> = { readonly value: T } | { readonly problem: string };

/** Reads one setting. Empty counts as absent, because compose files pass empty strings for unset variables. */
export function readSetting<T>(name: SettingName, setting: Setting<T>, env: Environment): Reading<T> {
  const raw = setting.secret ? readSecret(name, env) : { value: env[name] };
  if ('problem' in raw) return raw;
  if (raw.value === undefined || raw.value === '') return { value: setting.fallback };
  const parsed = setting.schema.safeParse(raw.value);
  if (parsed.success) return { value: parsed.data };
  const got = setting.secret ? 'a value that is not shown' : JSON.stringify(raw.value);
  return { problem: `${name}: got ${got}; allowed: ${setting.allowed}` };
}

function readSecret(name: SettingName, env: Environment): Reading<string | undefined> {
  const path = env[`${name}_FILE`];
  if (!path) return { value: env[name] };
  if (env[name]) return { problem: `${name} and ${name}_FILE are both set; allowed: one of them` };
  try {
    return { value: readFileSync(path, 'utf8').trim() };
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? 'unreadable';
    return {
      problem: `${name}_FILE: cannot read ${JSON.stringify(path)} (${reason}); allowed: a readable file with the value`,
    };
  }
}
