#!/usr/bin/env bash
# Packs the clients from docs/reference: a tarball for npm and a wheel for Python, in dist/clients.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/dist/clients
rm -rf "$out"
mkdir -p "$out"

cd packages/clients/typescript
npm ci --no-audit --no-fund --loglevel=error
npm run --silent build > /dev/null
npm pack --silent --ignore-scripts --pack-destination "$out" > /dev/null

# It has no dependencies, and is compiled by what the client for TypeScript has installed.
cd ../instantsearch
npm run --silent build > /dev/null
npm pack --silent --ignore-scripts --pack-destination "$out" > /dev/null

cd ../python
venv=../../../.local/venv-clients-$(sha256sum requirements.txt | cut -c1-12)
if [ ! -e "$venv/.complete" ]; then
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/python" -m pip --disable-pip-version-check install --quiet --no-compile --no-deps --require-hashes -r requirements.txt
  touch "$venv/.complete"
fi
"$venv/bin/python" generate.py
"$venv/bin/python" -m hatchling build -t wheel -d "$out" 2> /dev/null
ls "$out"
