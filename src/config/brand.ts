import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { jsonIn } from '../common/json-in.ts';
import { nameProblem, normaliseName } from '../domain/kernel/name.ts';
import { accentOf, nearestAccent, type Accent } from './accent.ts';
import { publicUrl } from './parsers.ts';
import { bytesOf, pictureOf, pictureRule, type Picture, type SizedPicture } from './picture.ts';

/** How the platform presents itself on every page and in mails (`BRAND_FILE`, PG-01). */
export type Brand = {
  readonly name: string;
  readonly logo: SizedPicture | null;
  readonly icon: Picture | null;
  readonly accent: Accent | null;
  readonly supportUrl: string | null;
  readonly supportEmail: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly mailFromName: string | null;
};

const setting = 'BRAND_FILE';

/** In bytes. Every page contains the icon, and the stylesheet the logo. */
const most = { logo: 100_000, icon: 10_000 } as const;

const named = 'a name of 1 to 100 visible characters on one line';
const url = 'an https URL without credentials';

const allowed = {
  name: named,
  logo: pictureRule(most.logo),
  icon: pictureRule(most.icon),
  accent: 'a colour such as #14595b',
  support_url: url,
  support_email: 'an e-mail address',
  terms_url: url,
  privacy_url: url,
  mail_from_name: named,
} as const;

type Field = keyof typeof allowed;

const visible = z
  .string()
  .transform(normaliseName)
  .refine((text) => nameProblem(text) === null);
const file = z.string().min(1).max(4_000);
const link = z.string().refine((text) => publicUrl.safeParse(text).success && text.startsWith('https:'));

const shape = z.strictObject({
  name: visible,
  logo: file.optional(),
  icon: file.optional(),
  accent: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i)
    .optional(),
  support_url: link.optional(),
  support_email: z.email().max(254).optional(),
  terms_url: link.optional(),
  privacy_url: link.optional(),
  mail_from_name: visible.optional(),
});

type Read = { readonly brand: Brand | null; readonly problems: readonly string[] };

/** Reads and checks the file, null for Grantbook's own brand. Each problem names the field. */
export const readBrand = (path: string | null): Read => {
  if (path === null) return { brand: null, problems: [] };
  const wrong = (what: string): Read => ({
    brand: null,
    problems: [`${setting}: ${JSON.stringify(path)} ${what}; allowed: a readable file with a JSON object`],
  });
  const content = bytesOf(path);
  if ('code' in content) return wrong(`cannot be read (${content.code})`);
  const json = jsonIn(content.bytes.toString('utf8'));
  if (json === undefined) return wrong('is not JSON');
  const read = shape.safeParse(json);
  if (!read.success) return { brand: null, problems: problemsOf(read.error.issues) };
  const given = read.data;
  const problems: string[] = [];
  const pictureIn = (field: 'logo' | 'icon') => {
    const name = given[field];
    if (name === undefined) return null;
    const found = pictureOf(resolve(dirname(path), name), most[field]);
    if ('problem' in found) problems.push(problem(field, `${JSON.stringify(name)} ${found.problem}`));
    return 'problem' in found ? null : found;
  };
  const [logo, icon] = [pictureIn('logo'), pictureIn('icon')];
  const accent = given.accent === undefined ? null : accentOf(given.accent);
  if (given.accent !== undefined && accent === null)
    problems.push(
      `${setting}: accent: ${given.accent} has too little contrast; allowed: a colour with 3:1 to the background of pages in the light and in the dark, such as ${nearestAccent(given.accent)}, the nearest`,
    );
  if (problems.length > 0) return { brand: null, problems };
  const brand = {
    name: given.name,
    logo,
    icon: icon && { mediaType: icon.mediaType, data: icon.data },
    accent,
    supportUrl: given.support_url ?? null,
    supportEmail: given.support_email ?? null,
    termsUrl: given.terms_url ?? null,
    privacyUrl: given.privacy_url ?? null,
    mailFromName: given.mail_from_name ?? null,
  };
  return { brand, problems: [] };
};

const problem = (field: Field, what: string): string =>
  `${setting}: ${field}: ${what}; allowed: ${allowed[field]}`;

type Issue = {
  readonly code: string;
  readonly path: readonly PropertyKey[];
  readonly keys?: readonly string[];
};

const problemsOf = (issues: readonly Issue[]): readonly string[] =>
  issues.flatMap(({ code, path, keys = [] }) => {
    const names = Object.keys(allowed).join(', ');
    if (code === 'unrecognized_keys')
      return keys.map((key) => `${setting}: ${key}: unknown key; allowed: ${names}`);
    const [field] = path;
    return field === undefined
      ? [`${setting}: is no object; allowed: an object with ${names}`]
      : [problem(String(field) as Field, 'is missing or wrong')];
  });
