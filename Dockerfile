# Konveier on SQLite. Where builds must be repeatable, pin both base images by digest (node:20-bookworm-slim@sha256:…).

FROM node:20-bookworm-slim AS build
# For SQLite's native add-on, where no prebuilt one can be downloaded.
RUN apt-get update \
  && apt-get install -y --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-audit --no-fund
COPY LICENSE tsconfig.json tsconfig.build.json ./
COPY scripts ./scripts
COPY src ./src
COPY dashboard ./dashboard
RUN npm run build
RUN npm prune --omit=dev --no-audit --no-fund

FROM node:20-bookworm-slim
ARG VERSION=0.1.0
LABEL org.opencontainers.image.title="Konveier" \
  org.opencontainers.image.description="Durable background jobs: an HTTP server and a worker over one SQLite file" \
  org.opencontainers.image.licenses="MIT" \
  org.opencontainers.image.version="${VERSION}"
# Package managers are of no use here, and their vulnerabilities would be ours. The group 0 may write the data,
# so that any uid with that group will do.
RUN apt-get update \
  && apt-get install -y --no-install-recommends tini \
  && rm -rf /var/lib/apt/lists/* /usr/local/lib/node_modules /opt/yarn-* \
    /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /usr/local/bin/yarn /usr/local/bin/yarnpkg \
  && ln -s /app/dist/cli/main.js /usr/local/bin/konveier \
  && install -d -o 10001 -g 0 -m 0770 /data
WORKDIR /app
COPY --from=build /app/package.json /app/LICENSE ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
ENV NODE_ENV=production \
  HOST=0.0.0.0 \
  PORT=8085 \
  DATABASE_URL=sqlite:/data/konveier.db
USER 10001:0
VOLUME ["/data"]
EXPOSE 8085
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "/app/dist/cli/main.js", "healthcheck", "--ready"]
# tini passes signals on and takes away what child processes leave behind.
ENTRYPOINT ["/usr/bin/tini", "--", "node", "/app/dist/cli/main.js"]
CMD ["serve"]
