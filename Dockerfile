# One image for both processes: `alarum serve` (web, webhook sender and, without ALARUM_REDIS, a store of its own in
# /data) and `alarum worker` (a webhook sender alone).

FROM python:3.13-slim-bookworm AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE requirements.lock ./
COPY service ./service
RUN python -m venv /opt/alarum \
    && /opt/alarum/bin/pip install --no-cache-dir --require-hashes -r requirements.lock \
    && pip wheel --no-cache-dir --no-deps --wheel-dir /tmp/wheel . \
    && /opt/alarum/bin/pip install --no-cache-dir --no-deps /tmp/wheel/*.whl \
    && /opt/alarum/bin/pip uninstall --yes pip

FROM python:3.13-slim-bookworm
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin alarum \
    && install --directory --owner=alarum --group=alarum --mode=700 /data
COPY --from=build /opt/alarum /opt/alarum
COPY deploy/gunicorn.conf.py /etc/alarum/gunicorn.conf.py
ENV PATH=/opt/alarum/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    ALARUM_HOST=0.0.0.0 \
    ALARUM_PORT=8000 \
    ALARUM_DATA_DIR=/data
USER 10001:10001
WORKDIR /data
VOLUME /data
EXPOSE 8000
# A container that runs `alarum worker` listens on nothing: switch the check off there (deploy/compose.yaml does).
HEALTHCHECK --interval=10s --timeout=3s --start-period=15s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen(f'http://127.0.0.1:{os.environ[\"ALARUM_PORT\"]}/alive', timeout=2)"]
CMD ["alarum", "serve"]
