type Picture = { readonly mediaType: string; readonly data: string };

/** An image as a part of the page, of a type that we choose: no request for it, and nothing in it can run. */
export const dataUrlOf = ({ mediaType, data }: Picture): string => `data:${mediaType};base64,${data}`;
