# Build: docker build -t todosync .    Run: docker run -p 8080:8080 -v todos:/data todosync
FROM swift:6.3-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends pkg-config libssl-dev zlib1g-dev libsqlite3-dev libsimdjson-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY Package.swift ./
COPY Sources Sources
COPY Tests Tests
RUN swift build --configuration release --product todo-server --static-swift-stdlib

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends libssl3 zlib1g libsqlite3-0 libsimdjson14 \
    && rm -rf /var/lib/apt/lists/* && useradd --system --create-home todosync && install -d -o todosync /data
COPY --from=build /source/.build/release/todo-server /usr/local/bin/todo-server
COPY Public /usr/local/bin/Public
USER todosync
VOLUME /data
EXPOSE 8080
ENTRYPOINT ["todo-server", "--host", "0.0.0.0", "--data", "/data"]
