# The whole service as one executable on a minimal base image: no shell, no package manager.
# Both base images can be pinned by digest: docs/self-hosting.md says how.
ARG BUILD_BASE=oven/bun:1.4.5
ARG BASE=gcr.io/distroless/cc-debian12:nonroot

FROM ${BUILD_BASE} AS build
WORKDIR /build
COPY package.json bun.lock ./
RUN bun install --frozen-lockfile --production
COPY . .
# What `--version` and the metrics say it is made from. Git's folder is not in the image's context; a release's Dockerfile names it.
ARG COMMIT=unknown
RUN bun tools/single.ts openall-server && mkdir data

FROM ${BASE} AS service
COPY --from=build /build/openall-server /openall-server
# libSQL's native module, which the executable would otherwise unpack into /tmp: that may be read-only or mounted noexec.
COPY --from=build /build/node_modules/@libsql/linux-*-gnu/index.node /libsql.node
COPY --from=build --chown=nonroot:nonroot --chmod=700 /build/data /data
ENV NODE_ENV=production HOST=0.0.0.0 DATABASE_URL=file:/data/openall.db
EXPOSE 3000
VOLUME /data
HEALTHCHECK --interval=10s --timeout=3s CMD ["/openall-server", "health"]
ENTRYPOINT ["/openall-server"]

# For platforms whose volumes belong to root and which run each container in its own virtual machine (fly.toml).
FROM service AS service-as-root
USER root

FROM service
