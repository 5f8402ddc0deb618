import { makeReader } from '../src/http/words/reader.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { accentOf, contrast, nearestAccent } from '../src/config/accent.ts';
import { readBrand } from '../src/config/brand.ts';
import { readConfig } from '../src/config/config.ts';
import { brandView } from '../src/http/pages/brand-view.ts';
import { messagePage } from '../src/http/pages/message-page.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const folder = temporaryFolder();

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const brandFile = (content: unknown): string => write('brand.json', JSON.stringify(content));
const problemsOf = (content: unknown) => readBrand(brandFile(content)).problems;

const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 30"><rect width="120" height="30"/></svg>';

describe('PG-01: BRAND_FILE', () => {
  test('has the name, the logo, the icon, a colour and the links of the platform', () => {
    write('logo.svg', svg);
    const file = brandFile({
      name: 'Harbour',
      logo: 'logo.svg',
      icon: 'logo.svg',
      accent: '#B4501E',
      support_url: 'https://harbour.example/help',
      support_email: 'help@harbour.example',
      terms_url: 'https://harbour.example/terms',
      privacy_url: 'https://harbour.example/privacy',
      mail_from_name: 'Harbour accounts',
    });
    const { brand, problems } = readBrand(file);
    expect(problems).toEqual([]);
    expect(brand).toMatchObject({
      name: 'Harbour',
      logo: { mediaType: 'image/svg+xml', width: 120, height: 30 },
      accent: { color: '#b4501e', onColor: '#ffffff' },
      supportEmail: 'help@harbour.example',
    });
    const page = messagePage({
      reader: makeReader(),
      base: '/x',
      brand: brandView(brand),
      title: 'Hello',
      message: 'there',
    });
    expect(page).toContain('<title>Hello – Harbour</title>');
    for (const label of ['Support', 'Terms', 'Privacy']) expect(page).toContain(`>${label}</a>`);
    expect(page).not.toContain('Grantbook');
    expect(brandView(brand).stylesheet.text).toContain('url("data:image/svg+xml;base64,');
    expect(brandView(brand).stylesheet.path).not.toBe(brandView(null).stylesheet.path);
    const mail = { MAIL_URL: 'smtp://mail.example', BASE_URL: 'https://harbour.example' };
    expect(readConfig({ ...mail, BRAND_FILE: file }).mail?.from).toBe(
      '"Harbour accounts" <grantbook@harbour.example>',
    );
  });

  test('names the field of every problem, all together', () => {
    write('big.png', new Uint8Array(10_000_000));
    write('script.svg', svg.replace('<rect', '<script>alert(1)</script><rect'));
    write('clicks.svg', svg.replace('<rect', '<rect onclick="alert(1)"'));
    write('outside.svg', svg.replace('<rect', '<image href="https://evil.example/x.png"/><rect'));
    write('style.svg', svg.replace('<rect', '<style>@import "https://evil.example/";</style><rect'));
    write('text.svg', 'nothing');
    const logo = (name: string) => problemsOf({ name: 'Harbour', logo: name }).join();
    expect(logo('missing.svg')).toMatch(
      /^BRAND_FILE: logo: "missing\.svg" cannot be read \(ENOENT\); allowed: /,
    );
    expect(logo('big.png')).toContain('BRAND_FILE: logo: "big.png" has 10000000 bytes');
    for (const name of ['script.svg', 'clicks.svg']) expect(logo(name)).toContain('an SVG with a script');
    for (const name of ['outside.svg', 'style.svg'])
      expect(logo(name)).toContain('a reference to something outside');
    expect(logo('text.svg')).toContain('is neither PNG nor SVG');
    expect(problemsOf({ name: 'Harbour', colour: 'red' })).toEqual([
      expect.stringMatching(/^BRAND_FILE: colour: unknown key; allowed: name, logo/),
    ]);
    expect(problemsOf({ name: 'x\u202Ey', terms_url: 'http://a.example', accent: 'red' })).toEqual([
      expect.stringMatching(/^BRAND_FILE: name: is missing or wrong; allowed: a name of 1 to 100/),
      expect.stringMatching(/^BRAND_FILE: accent: is missing or wrong; allowed: a colour such as/),
      expect.stringMatching(/^BRAND_FILE: terms_url: is missing or wrong; allowed: an https URL/),
    ]);
    expect(problemsOf([])).toEqual([expect.stringContaining('is no object')]);
    expect(readBrand(write('broken.json', '{')).problems).toEqual([expect.stringContaining('is not JSON')]);
    expect(() => readConfig({ BRAND_FILE: join(folder, 'none.json') })).toThrow(/BRAND_FILE: .*ENOENT/);
  });

  test('a PNG is as wide as it says', () => {
    const header = '89504e470d0a1a0a0000000d4948445200000004000000020806000000';
    write('logo.png', Buffer.from(header, 'hex'));
    expect(readBrand(brandFile({ name: 'Harbour', logo: 'logo.png' })).brand?.logo).toMatchObject({
      width: 4,
      height: 2,
    });
  });

  test('a colour without contrast is refused, and the nearest one with it is named', () => {
    for (const color of ['#ffffff', '#000000', '#ffee88', '#112233']) {
      expect(accentOf(color)).toBeNull();
      const nearest = nearestAccent(color);
      expect(accentOf(nearest)).not.toBeNull();
      expect(problemsOf({ name: 'Harbour', accent: color })).toEqual([
        expect.stringMatching(`^BRAND_FILE: accent: ${color} .*such as ${nearest}, the nearest$`),
      ]);
    }
    const accent = accentOf('#b4501e');
    expect(contrast(accent?.onColor ?? '', accent?.color ?? '')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(accent?.light ?? '', '#f6f5f2')).toBeGreaterThanOrEqual(4.5);
    expect(contrast(accent?.dark ?? '', '#1c222c')).toBeGreaterThanOrEqual(4.5);
  });
});
