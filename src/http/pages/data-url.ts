import type { Logo } from '../../domain/addons/addon.ts';

/** An image as a part of the page, of a type that we choose: no request for it, and nothing in it can run. */
export const dataUrlOf = ({ mediaType, data }: Logo): string => `data:${mediaType};base64,${data}`;
