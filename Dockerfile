# Ralph in a container, without root: docker build -t ralph . && docker run --rm -v "$PWD:/project" ralph status
# With an agent: docker build --build-arg AGENTS=@anthropic-ai/claude-code -t ralph . (see docs/ci.md)

# Builds the package from this checkout; nothing of it but the package gets into the image.
FROM node:24-bookworm-slim AS build
WORKDIR /src
COPY . .
RUN npm ci --no-fund --no-audit --loglevel=error \
  && npm run build \
  && npm pack --ignore-scripts --silent --pack-destination /tmp \
  && mv /tmp/ralph-proven-*.tgz /tmp/ralph.tgz

# For work on Ralph itself (.devcontainer): the tools of the tests.
FROM node:24-bookworm AS develop
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap chromium git postgresql python3-pytest tmux \
  && rm -rf /var/lib/apt/lists/*
USER node

FROM node:24-bookworm-slim
RUN apt-get update \
  && apt-get install -y --no-install-recommends bubblewrap ca-certificates git tini \
  && rm -rf /var/lib/apt/lists/*
ARG AGENTS=""
RUN --mount=type=bind,from=build,source=/tmp/ralph.tgz,target=/tmp/ralph.tgz \
  npm install -g --omit=peer --no-fund --no-audit --loglevel=error /tmp/ralph.tgz \
  && for agent in $AGENTS; do npm install -g --no-fund --no-audit --loglevel=error "$agent" || exit 1; done \
  && npm cache clean --force \
  && mkdir -p /home/ralph /project \
  && chmod 1777 /home/ralph /project
# Everybody may write there, so that --user "$(id -u):$(id -g)" works with a project of yours.
ENV HOME=/home/ralph
USER node
WORKDIR /project
ENTRYPOINT ["tini", "--", "ralph"]
CMD ["help"]
