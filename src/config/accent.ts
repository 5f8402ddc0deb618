/** The platform's colour as pages use it: each is `#rrggbb`. */
export type Accent = {
  /** Of buttons and borders, in both themes. */
  readonly color: string;
  /** Of the words on it. */
  readonly onColor: string;
  /** Of links: the colour itself, or the nearest that can be read on light and on dark pages. */
  readonly light: string;
  readonly dark: string;
};

/** Of the pages and the cards on them (stylesheet.ts). */
const backgrounds = { light: ['#f6f5f2', '#ffffff'], dark: ['#14181f', '#1c222c'] } as const;
type Theme = keyof typeof backgrounds;

type Rgb = readonly [number, number, number];

const rgbOf = (color: string): Rgb => {
  const part = (at: number) => Number.parseInt(color.slice(at, at + 2), 16);
  return [part(1), part(3), part(5)];
};

const colorOf = (rgb: Rgb): string =>
  `#${rgb.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;

/** WCAG 2.2, relative luminance. */
const luminance = (color: string): number => {
  const [r, g, b] = rgbOf(color).map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as unknown as Rgb;
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

export const contrast = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
};

const fits = (color: string, theme: Theme, ratio: number): boolean =>
  backgrounds[theme].every((background) => contrast(color, background) >= ratio);

const isBorder = (color: string): boolean => fits(color, 'light', 3) && fits(color, 'dark', 3);

/** The first shade that passes, in steps of a hundredth towards black or white. */
const nearest = (color: string, passes: (shade: string) => boolean): string => {
  const rgb = rgbOf(color);
  for (let step = 0; step <= 100; step += 1)
    for (const end of [0, 255]) {
      const shade = colorOf(rgb.map((part) => part + ((end - part) * step) / 100) as unknown as Rgb);
      if (passes(shade)) return shade;
    }
  return color;
};

/** Null for a colour that cannot be seen as a border (3:1) on light and dark pages. Words on it have 4.5:1 at least. */
export const accentOf = (given: string): Accent | null => {
  const color = given.toLowerCase();
  if (!isBorder(color)) return null;
  return {
    color,
    onColor: contrast(color, '#ffffff') >= 4.5 ? '#ffffff' : '#000000',
    light: nearest(color, (shade) => fits(shade, 'light', 4.5)),
    dark: nearest(color, (shade) => fits(shade, 'dark', 4.5)),
  };
};

export const nearestAccent = (color: string): string => nearest(color.toLowerCase(), isBorder);
