import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Scope } from '../../domain/scope.ts';
import type { ListItem, ListReader } from '../../projections/read-models.ts';
import { bearerRefusal, openBearer, refusedByFence, sendChallenge } from '../bearer.ts';
import type { ListPage } from '../contracts/list-page.ts';
import type { HttpNeeds } from '../needs.ts';
import { queryOf } from '../params.ts';
import { sendProblem } from '../problems.ts';
import { makeAdmitBearer } from '../rate-limits.ts';
import { path } from '../routes.ts';
import { presentAccessRight, presentProfile, presentReservation } from './items.ts';
import { linksOf } from './page-links.ts';
import { readPageParameters } from './page-parameters.ts';

/** `/access-rights`, `/profiles` and `/reservations`: the whole public resource API (LI-01). */
export const registerLists = (app: FastifyInstance, needs: HttpNeeds): void => {
  const { accessRights, profiles, reservations } = needs.readModels;
  registerList(app, needs, '/access-rights', 'access-rights:read', accessRights, presentAccessRight);
  registerList(app, needs, '/profiles', 'profiles:read', profiles, presentProfile);
  registerList(app, needs, '/reservations', 'reservations:read', reservations, presentReservation);
};

const registerList = <T, Item>(
  app: FastifyInstance,
  needs: HttpNeeds,
  url: string,
  scope: Scope,
  reader: ListReader<T>,
  present: (item: ListItem<T>) => Item,
): void => {
  const { commands, config, trusted } = needs;
  const admit = makeAdmitBearer(needs);

  const list = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const bearer = openBearer(commands, request, scope);
    if (bearer.claims && !trusted())
      return sendProblem(request, reply, config.baseUrl, 'temporarily-unavailable');
    if (bearer.claims && !(await admit(request, reply, bearer.claims))) return reply;
    if (!bearer.ok)
      return sendChallenge(request, reply, config.baseUrl, await bearerRefusal(bearer, needs.readModels));
    const asked = readPageParameters(queryOf(request));
    if (!asked.ok)
      return sendProblem(request, reply, config.baseUrl, 'invalid-parameters', { errors: asked.errors });
    const { page, perPage } = asked.value;
    const read = await reader.page({ guarded: bearer.claims, page, perPage });
    if (read.refused !== null)
      return sendChallenge(request, reply, config.baseUrl, refusedByFence(read.refused));
    const pages = Math.ceil(read.totalItems / perPage);
    const links = linksOf(config.baseUrl + url, asked.value, pages);
    return reply
      .headers({ 'content-type': json, 'cache-control': 'private, no-store', link: links.header })
      .send(
        JSON.stringify({
          items: read.items.map(present),
          _pagination: { page, total_items: read.totalItems, pages, per_page: perPage },
          _links: links.body,
        } satisfies ListPage<Item>),
      );
  };

  path(app, url, { GET: list }, (request, reply) =>
    sendProblem(request, reply, config.baseUrl, 'method-not-allowed'),
  );
};

const json = 'application/json; charset=utf-8';
