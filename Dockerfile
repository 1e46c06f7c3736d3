# The image of Atrium: the package that `npm pack` makes, on Node. Compilers and development packages stay behind.
#   docker build -t atrium . && docker run -p 127.0.0.1:3000:3000 -v atrium:/var/lib/atrium --read-only --tmpfs /tmp atrium
FROM node:26-bookworm AS build
WORKDIR /build
COPY . .
RUN npm ci && mkdir /out && npm pack --pack-destination /out

FROM node:26-bookworm-slim
COPY --from=build /out/ /tmp/package/
RUN npm install --global --omit=dev --no-audit --no-fund /tmp/package/*.tgz \
  && rm -rf /tmp/package /root/.npm \
  && install -d -o node -g node -m 0700 /var/lib/atrium

# Everything that is kept is in this folder; nothing else need be writable but /tmp.
ENV ATRIUM_HOME=/var/lib/atrium HOME=/var/lib/atrium GATEWAY_HOST=0.0.0.0 HTTP_HOST=0.0.0.0
USER node
WORKDIR /var/lib/atrium
VOLUME /var/lib/atrium
EXPOSE 3000 8080
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.GATEWAY_PORT || 3000}/api/health`).then(r => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["atrium"]
CMD ["serve"]
