#!/bin/sh
# Installs the locked dependencies when they are absent or older than the lockfile. Every npm script that runs code calls
# it first, so that a fresh clone needs no other step. It runs under whatever Node the system has.
set -eu
cd "$(dirname "$0")/.."
if [ ! -f node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "sens: installing dependencies (once)" >&2
  npm ci --no-audit --no-fund --loglevel=error >&2
  touch node_modules/.package-lock.json
fi
major=$(node_modules/.bin/node -p 'process.versions.node.split(".")[0]' 2>/dev/null || echo 0)
if [ "$major" -lt 22 ]; then
  echo "sens: needs Node 22.18 or newer, and the Node 24 that the devDependency \"node\" brings is missing." >&2
  echo "sens: its install script was not run; allow it with: npm install-scripts approve node && npm rebuild node" >&2
  exit 1
fi
