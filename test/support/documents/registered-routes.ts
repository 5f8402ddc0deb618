import type { FastifyInstance } from 'fastify';

/** The paths of a ready app, with parameters in braces like in OpenAPI. */
export const templatesOf = (app: FastifyInstance): readonly string[] => {
  const depths: string[] = [];
  const templates = app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', name = ''] = /^([\s│]*)[├└]── (.*?)(?: \(.*\))?$/.exec(line) ?? [];
      if (name === '') return [];
      depths.length = indent.length / 4;
      depths.push(name);
      return line.includes(' (') ? [depths.join('')] : [];
    });
  return [...new Set(templates)].map((template) => template.replace(/:(\w+)/g, '{$1}').replaceAll('::', ':'));
};
