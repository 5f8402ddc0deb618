import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseTokenKeys } from '../../src/commands/credentials/token-keys.ts';
import { readKeysFile } from '../../src/embedded/keys-file.ts';
import { newDataDir } from './processes.ts';

test('the keys are made once, whoever asks and however many ask at once, and only their owner reads them', async () => {
  const dataDir = newDataDir();
  const texts = await Promise.all([1, 2, 3].map(() => readKeysFile(dataDir, 'token-keys')));
  texts.push(await readKeysFile(dataDir, 'token-keys'));
  expect(new Set(texts).size).toBe(1);
  expect(parseTokenKeys(texts[0] ?? '').keys.get('k1')).toHaveLength(32);
  expect(readdirSync(dataDir)).toEqual(['token-keys']);
  expect(statSync(join(dataDir, 'token-keys')).mode & 0o777).toBe(0o600);
});

test('two installations have different keys', async () => {
  expect(await readKeysFile(newDataDir(), 'token-keys')).not.toBe(
    await readKeysFile(newDataDir(), 'token-keys'),
  );
});
