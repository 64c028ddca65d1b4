# docker build -t sens .
# docker run -p 7007:7007 -v sens:/data -e SENS_TOKENS="alice:read+publish+remove+admin:$(openssl rand -hex 24)" sens
#
# The server listens on all addresses of its container, and beyond loopback it starts only with tokens (SECURITY.md).
# Another subcommand takes the place of the last line: docker run -v sens:/data sens verify /data/sens.db

FROM node:24-slim AS build
WORKDIR /build
# The image has its Node; no package needs its install script (better-sqlite3 ships its binary).
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
COPY tsconfig.json tsconfig.build.json ./
COPY src ./src
RUN node_modules/.bin/tsc -p tsconfig.build.json
# Only what runs: no devDependencies, no declarations and maps of packages, no SQLite sources, no binaries of other systems.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund --loglevel=error \
    && find node_modules -type f \( -name "*.d.ts" -o -name "*.d.cts" -o -name "*.d.mts" -o -name "*.map" \) -delete \
    && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
    && find node_modules/better-sqlite3/prebuilds -mindepth 1 -maxdepth 1 ! -name "linux*" -exec rm -rf {} + \
    && mkdir -m 700 data

FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /sens
COPY package.json LICENSE ./
COPY migrations ./migrations
COPY ontologies ./ontologies
COPY --from=build /build/node_modules ./node_modules
COPY --from=build /build/dist ./dist
COPY --from=build --chown=node:node /build/data /data
USER node
VOLUME /data
EXPOSE 7007
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["node", "-e", "fetch('http://127.0.0.1:7007/health').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "dist/cli/main.js"]
CMD ["serve", "--host", "0.0.0.0", "--port", "7007", "--data", "/data/sens.db"]
