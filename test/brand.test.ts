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

const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000780000001e0806000000', 'hex');
const pictures = {
  'image/png': Buffer.concat([png, Buffer.alloc(20)]),
  // APP0, then a frame.
  'image/jpeg': Buffer.from(
    'ffd8ffe000104a46494600010100000100010000ffc0001108001e007803012200021101031101',
    'hex',
  ),
  'image/webp': Buffer.from(`RIFF\x1a\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x77\0\0\x1d\0\0`, 'latin1'),
} as const;
const others = {
  'image/webp, lossy': Buffer.from(
    `RIFF\x1a\0\0\0WEBPVP8 \x0a\0\0\0\0\0\0\x9d\x01\x2a\x78\0\x1e\0`,
    'latin1',
  ),
  'image/webp, lossless': Buffer.concat([
    Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\x0a\0\0\0\x2f', 'latin1'),
    Buffer.from([0x77, 0x40, 0x07, 0x00, 0, 0, 0, 0, 0]),
  ]),
};
const svg =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 30"><rect width="120" height="30"/></svg>';

describe('PG-01: BRAND_FILE', () => {
  test('has the name, the logo, the icon, a colour and the links of the platform', () => {
    writeFileSync(join(folder, 'logo.png'), pictures['image/png']);
    const file = brandFile({
      name: 'Harbour',
      logo: 'logo.png',
      icon: 'logo.png',
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
      logo: { mediaType: 'image/png', width: 120, height: 30 },
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
    expect(brandView(brand).stylesheet.text).toContain('url("data:image/png;base64,');
    expect(brandView(brand).stylesheet.path).not.toBe(brandView(null).stylesheet.path);
    const mail = { MAIL_URL: 'smtp://mail.example', BASE_URL: 'https://harbour.example' };
    expect(readConfig({ ...mail, BRAND_FILE: file }).mail?.from).toBe(
      '"Harbour accounts" <grantbook@harbour.example>',
    );
  });

  test('names the field of every problem, all together', () => {
    write('big.png', new Uint8Array(10_000_000));
    write('text.svg', 'nothing');
    const logo = (name: string) => problemsOf({ name: 'Harbour', logo: name }).join();
    expect(logo('missing.svg')).toMatch(
      /^BRAND_FILE: logo: "missing\.svg" cannot be read \(ENOENT\); allowed: /,
    );
    expect(logo('big.png')).toContain('BRAND_FILE: logo: "big.png" has 10000000 bytes');
    expect(logo('text.svg')).toContain('is neither PNG, JPEG nor WebP');
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

  test.each(Object.entries({ ...pictures, ...others }))('FX-93: a logo may be %s', (kind, bytes) => {
    writeFileSync(join(folder, 'logo.any'), bytes);
    const { brand, problems } = readBrand(brandFile({ name: 'Harbour', logo: 'logo.any' }));
    expect(problems).toEqual([]);
    const [mediaType] = kind.split(',');
    expect(brand?.logo).toMatchObject({ mediaType, width: 120, height: 30 });
  });

  test.each([
    ['an SVG', svg],
    ['an SVG that is called otherwise', `<?xml version="1.0"?>${svg}`],
    ['a page', '<html>'],
  ])('FX-93: %s is no logo, by its content', (_name, content) => {
    write('logo.png', content);
    expect(problemsOf({ name: 'Harbour', logo: 'logo.png', icon: 'logo.png' })).toEqual([
      expect.stringContaining(
        'BRAND_FILE: logo: "logo.png" is neither PNG, JPEG nor WebP; allowed: the path of a PNG',
      ),
      expect.stringContaining('BRAND_FILE: icon: "logo.png" is neither PNG, JPEG nor WebP'),
    ]);
  });

  test.each(Object.entries(pictures))('a logo of %s without its size is refused', (_kind, bytes) => {
    writeFileSync(join(folder, 'logo.any'), bytes.subarray(0, 12));
    expect(problemsOf({ name: 'Harbour', logo: 'logo.any' })).toEqual([
      expect.stringContaining('"logo.any" has no size'),
    ]);
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
